# SPDX-License-Identifier: Apache-2.0
"""JSON as it is in files that were damaged or edited: values of other types, missing keys, texts that are no JSON."""

import copy

VALUES = (None, True, -1, 10**30, float("nan"), "x", [], {}, [None], {"a": 1}, "\0")
TEXTS = ("", "null", "[]", "{}", "{", "1", '"x"', "\0", "[" * 100_000, "1e999", "9" * 5000, '{"a":' * 100_000, "NaN")


def changed(value):
    """The value with one part of it missing, or another value in its place: (what was changed, the value)."""
    for place in _places(value):
        for one in VALUES:
            yield f"{place} = {one!r}", _with(value, place, one)
        if place:
            yield f"without {place}", _with(value, place)


def _places(value, place=()):
    yield place
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _places(one, (*place, key))
    elif value and isinstance(value, list):
        yield from _places(value[0], (*place, 0))


def _with(value, place, *new):
    if not place:
        return new[0]
    made = copy.deepcopy(value)
    part = made
    for key in place[:-1]:
        part = part[key]
    if new:
        part[place[-1]] = new[0]
    else:
        del part[place[-1]]
    return made
