# SPDX-License-Identifier: Apache-2.0
"""Every long operation checks for an interrupt between pieces of its work, and then changes nothing."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from oracle import same

import atoll as ak
from atoll.columns.text.strings import Strings

ROWS = 1 << 20
TEXTS = 1 << 16
#: Looks that an operation on so many rows makes at least on one PE. (Elementwise loops look every 2^20 elements.)
LOOKS = {"array": 2, "text": 8}


@pytest.fixture(scope="module", params=[(1, 1), (3, 1)], ids=lambda kind: f"{kind[0]}x{kind[1]}")
def session(request):
    ak.shutdown()
    data.cache_clear()
    with ak.init(*request.param) as running:
        yield running
    data.cache_clear()


@cache
def data():
    """Arrays and texts of the running session, all evaluated."""
    rng = ak.random.default_rng(1)
    numbers = rng.integers(0, 1 << 40, ROWS)
    made = {
        "f": rng.random(ROWS), "i": numbers, "few": numbers % 1000, "mask": numbers % 2 == 0, "rows": numbers % ROWS,
        "small": ak.tile((numbers % 1000).astype(np.int16), 4), "square": rng.random((1024, 1024)),
    }  # fmt: skip
    found = {name: array.evaluate() for name, array in made.items()}
    found["reversed"] = ak.arange(TEXTS)[::-1].evaluate()
    found["t"] = ak.array([f"row {row * 7919 % 100003} of a Text" for row in range(TEXTS)])
    found["key"], found["which"] = found["few"][:TEXTS].evaluate(), found["mask"][:TEXTS].evaluate()
    return found


class Data:
    def __getattr__(self, name):
        return data()[name]


d = Data()

ARRAYS = {
    "sum along axis 0": lambda: d.square.sum(axis=0),
    "sum along axis 1": lambda: d.square.sum(axis=1),
    "cumsum": lambda: ak.cumsum(d.f).evaluate(),
    "cumsum along an axis": lambda: ak.cumsum(d.square, axis=1).evaluate(),
    "sort": lambda: ak.sort(d.f),
    "sort of two bytes": lambda: ak.sort(d.small),
    "argsort": lambda: ak.argsort(d.i),
    "unique": lambda: ak.unique(d.i),
    "unique of few": lambda: ak.unique(d.few),
    "index by rows": lambda: d.f[d.rows],
    "index by a mask": lambda: d.f[d.mask],
    "flatnonzero": lambda: ak.flatnonzero(d.mask),
    "bincount": lambda: ak.bincount(d.few),
    "bincount with weights": lambda: ak.bincount(d.few, weights=d.f),
    "histogram": lambda: ak.histogram(d.f, bins=100, range=(0, 1)),
    "searchsorted": lambda: ak.searchsorted(d.f[:1000], d.f),
    "isin": lambda: ak.isin(d.i, d.i[:100000]),
    "isin of few": lambda: ak.isin(d.few, d.few[:100]),
    "random": lambda: ak.random.default_rng(2).random(ROWS).evaluate(),
    "random normal": lambda: ak.random.default_rng(2).normal(size=ROWS).evaluate(),
    "random poisson": lambda: ak.random.default_rng(2).poisson(3, ROWS).evaluate(),
    "permutation": lambda: ak.random.default_rng(2).permutation(ROWS),
    "matmul": lambda: d.square @ d.square,
    "matmul of integers": lambda: d.few[: 1 << 18].reshape(512, 512) @ d.few[: 1 << 18].reshape(512, 512),
    "transpose": lambda: d.square.T.copy().evaluate(),
    "slice with a step": lambda: d.f[::2].copy().evaluate(),
    "concatenate": lambda: ak.concatenate([d.f, d.f]),
    "repeat": lambda: ak.repeat(d.f, 2),
    "fft": lambda: ak.fft.fft(d.f),
    "median": lambda: ak.median(d.f),
    "groupby": lambda: ak.groupby(d.few).sum(d.f),
    "groupby of many": lambda: ak.groupby(d.i).sum(d.f),
    "groupby median": lambda: ak.groupby(d.few).median(d.f),
    "groupby cumsum": lambda: ak.groupby(d.few).cumsum(d.f),
    "groupby by texts": lambda: ak.groupby(d.t).sum(d.key),
    "join": lambda: ak.join(d.i, d.i[: ROWS // 2]),
    "join of large tables": lambda: ak.join(d.i, d.rows),
    "join by texts": lambda: ak.join(d.t, d.t),
    "rolling sum": lambda: ak.rolling(d.f, 10).sum(),
    "rolling max": lambda: ak.rolling(d.f, 10).max(),
    "rolling median": lambda: ak.rolling(d.f, 10).median(),
    "expanding mean": lambda: ak.expanding(d.f).mean(),
    "ewm mean": lambda: ak.ewm(d.f, span=5).mean(),
}  # fmt: skip

#: By the name of the method.
TEXT_METHODS = {
    "capitalize": lambda: d.t.str.capitalize(),
    "casefold": lambda: d.t.str.casefold(),
    "cat": lambda: d.t.str.cat(d.t),
    "center": lambda: d.t.str.center(30),
    "contains": lambda: d.t.str.contains("9+"),
    "count": lambda: d.t.str.count("o"),
    "distinct": lambda: d.t.distinct(),
    "encode": lambda: d.t.str.encode("utf-16-le"),
    "endswith": lambda: d.t.str.endswith("xt"),
    "extract": lambda: d.t.str.extract("([0-9]+)"),
    "extractall": lambda: d.t.str.extractall("([0-9])"),
    "find": lambda: d.t.str.find("of"),
    "findall": lambda: d.t.str.findall("[0-9]"),
    "flatten": lambda: d.t.str.flatten(" "),
    "fullmatch": lambda: d.t.str.fullmatch("row.*"),
    "get": lambda: d.t.str.get(2),
    "get_dummies": None,  # split, and some loops for each part
    "get_prefixes": lambda: d.t.str.get_prefixes(2),
    "get_suffixes": lambda: d.t.str.get_suffixes(2),
    "hash": lambda: d.t.str.hash(),
    "index": lambda: d.t.str.index("of"),
    "join": lambda: d.t.str.join("-"),
    "len": lambda: d.t.str.len(),
    "ljust": lambda: d.t.str.ljust(30),
    "lower": lambda: d.t.str.lower(),
    "lstick": lambda: d.t.str.lstick(d.t),
    "lstrip": lambda: d.t.str.lstrip("r"),
    "match": lambda: d.t.str.match("row [0-9]"),
    "normalize": lambda: d.t.str.normalize("NFD"),
    "numbers": lambda: d.t.numbers(),
    "pad": lambda: d.t.str.pad(30),
    "partition": lambda: d.t.str.partition(" "),
    "peel": lambda: d.t.str.peel(" "),
    "ranks": lambda: d.t.ranks(),
    "removeprefix": lambda: d.t.str.removeprefix("row"),
    "removesuffix": lambda: d.t.str.removesuffix("Text"),
    "repeat": lambda: d.t.str.repeat(3),
    "replace": lambda: d.t.str.replace("o", "00"),
    "rfind": lambda: d.t.str.rfind("o"),
    "rindex": lambda: d.t.str.rindex("o"),
    "rjust": lambda: d.t.str.rjust(30),
    "rpartition": lambda: d.t.str.rpartition(" "),
    "rpeel": lambda: d.t.str.rpeel(" "),
    "rsplit": lambda: d.t.str.rsplit(" ", expand=False),
    "rstrip": lambda: d.t.str.rstrip("t"),
    "slice": lambda: d.t.str.slice(2, 5),
    "slice_replace": lambda: d.t.str.slice_replace(2, 5, "x"),
    "sort": lambda: d.t.sort(),
    "argsort": lambda: d.t.argsort(),
    "split": lambda: d.t.str.split(" ", expand=False),
    "startswith": lambda: d.t.str.startswith("row"),
    "stick": lambda: d.t.str.stick(d.t),
    "strip": lambda: d.t.str.strip("rt"),
    "swapcase": lambda: d.t.str.swapcase(),
    "take": lambda: d.t.take(d.key),
    "title": lambda: d.t.str.title(),
    "translate": lambda: d.t.str.translate({111: "0"}),
    "upper": lambda: d.t.str.upper(),
    "wrap": lambda: d.t.str.wrap(5),
    "zfill": lambda: d.t.str.zfill(30),
}
TEXT_METHODS |= {
    name: lambda name=name: getattr(d.t.str, name)()
    for name in dir(Strings)
    if name.startswith("is") and name != "isnull"
}
TEXTS_OTHERWISE = {
    "replace by a regular expression": lambda: d.t.str.replace("[0-9]+", "#", regex=True),
    "every second character": lambda: d.t.str.slice(2, 15, 2),
    "repeat by counts": lambda: d.t.str.repeat(d.key % 3),
    "choose by a mask": lambda: d.t[d.which],
    "compare": lambda: d.t == d.t,
    "concatenate": lambda: ak.concatenate([d.t, d.t]),
    "slice of rows": lambda: d.t[5:-5],
}
#: Methods that look at no text, or that others above are made for.
OTHERS = {
    "all", "any", "apply", "astype", "byte_len", "copy", "dropna", "dtype", "fillna", "isna", "isnull", "kind", "max",
    "mean", "min", "nbytes", "ndim", "notna", "notnull", "null_count", "prod", "shape", "size", "std", "str", "sum",
    "to_arrow", "to_list", "to_numpy", "to_pandas", "tolist", "valid", "values", "var",
}  # fmt: skip
CASES = [
    *(pytest.param(run, LOOKS["array"], id=name) for name, run in ARRAYS.items()),
    *(
        pytest.param(run, LOOKS["text"], id=f"str.{name}")
        for name, run in TEXT_METHODS.items()
        if run and name != "isna"
    ),
    *(pytest.param(run, LOOKS["text"], id=name) for name, run in TEXTS_OTHERWISE.items()),
]


def test_all_methods_of_texts_are_tried():
    """A new one belongs into TEXT_METHODS."""
    methods = {name for name in dir(Strings) if not name.startswith("_")}
    assert methods - OTHERS - set(TEXT_METHODS) == set()
    assert set(TEXT_METHODS) - {"isna"} <= methods


@pytest.mark.parametrize(("run", "least"), CASES)
def test_long_operations_look_for_an_interrupt_and_end_by_it(session, run, least):
    looks = Counter()
    data()
    session._core.watch_every_poll(lambda operation: looks.update([operation]))
    try:
        run()
    finally:
        session._core.watch_every_poll(None)
    assert sum(looks.values()) >= max(1, least // session.pes), looks

    left = (sum(looks.values()) + 1) // 2

    def interrupt(operation):
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt(operation)

    before = int(d.i.sum()), d.t[::1000].to_list()
    session._core.watch_every_poll(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        session._core.watch_every_poll(None)
    assert (int(d.i.sum()), d.t[::1000].to_list()) == before
    same(ak.arange(10) + 1, np.arange(1, 11))


def test_each_phase_of_a_sort_ends_by_an_interrupt(session):
    data()
    looks = []
    session._core.watch_every_poll(looks.append)
    ak.sort(d.f)
    session._core.watch_every_poll(None)
    assert len(looks) >= 20  # also while each PE sorts its buckets
    for last in (1, len(looks) // 2, len(looks) * 3 // 4):
        left = [last]

        def interrupt(operation, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt(operation)

        session._core.watch_every_poll(interrupt)
        try:
            with pytest.raises(KeyboardInterrupt):
                ak.sort(d.f)
        finally:
            session._core.watch_every_poll(None)
    ordered = ak.sort(d.f)
    assert (ordered[:-1] <= ordered[1:]).all()


ASSIGNMENTS = {
    "expression": lambda a, b: a.__setitem__(slice(None), b * 2 + 1),
    "step": lambda a, b: a.__setitem__(slice(None, None, 2), b[::2]),
    "rows": lambda a, b: a.__setitem__(d.reversed, b),
    "mask": lambda a, b: a.__setitem__(b > 3, 7.0),
    "values of a mask": lambda a, b: a.__setitem__(b > 3, b[b > 3]),
    "operator": lambda a, b: a.__iadd__(b),
    "out": lambda a, b: ak.add(a, b, out=a),
    "sort": lambda a, b: a.sort(),
    "put": lambda a, b: ak.put(a, d.reversed, b),
    "copyto": lambda a, b: ak.copyto(a, b),
}


@pytest.mark.parametrize("assign", ASSIGNMENTS.values(), ids=ASSIGNMENTS)
def test_an_interrupted_assignment_is_complete_or_has_no_effect(session, assign):
    source = (d.reversed * 1.5).evaluate()
    before = d.reversed.astype(float).to_numpy()

    def assigned(callback):
        array = ak.array(before).evaluate()
        session._core.watch_every_poll(callback)
        try:
            assign(array, source)
        except KeyboardInterrupt:
            pass
        finally:
            session._core.watch_every_poll(None)
        return array.to_numpy()

    looks = []
    after = assigned(looks.append)
    assert not (after == before).all()
    for last in {1, len(looks) // 2, len(looks)} - {0}:
        left = [last]

        def interrupt(operation, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt(operation)

        array = assigned(interrupt)
        assert (array == before).all() or (array == after).all()


def test_an_assignment_to_a_slice_is_not_ended_half_way(session):
    a, ones = ak.zeros(ROWS).evaluate(), ak.ones(ROWS // 2).evaluate()

    def interrupt(operation):
        raise KeyboardInterrupt(operation)

    session._core.watch_every_poll(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            a[::2] = ones
    finally:
        session._core.watch_every_poll(None)
    assert a.sum() in (0, ROWS // 2)
