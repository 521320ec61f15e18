# SPDX-License-Identifier: Apache-2.0
"""Random programs: lazy chains, changes in place, views and reductions in any order give what NumPy gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import atoll as ak

pytestmark = pytest.mark.usefixtures("every_session")

SIZE = 23


class Machine:
    """The same variables in NumPy and here; every step is done to both."""

    def __init__(self):
        x = np.arange(SIZE) % 7 - 2
        self.theirs = [x.copy(), x * 3 + 1, (x * 0.5)]
        self.ours = [ak.array(v) for v in self.theirs]

    def check(self, number):
        found = self.ours[number].to_numpy()
        np.testing.assert_array_equal(found, self.theirs[number])
        assert found.dtype == self.theirs[number].dtype

    def replace(self, target, theirs, ours):
        self.theirs[target], self.ours[target] = theirs, ours


def pick(data):
    return data.draw(st.integers(0, 2))


def combine(machine, data):
    target, left, right = pick(data), pick(data), pick(data)
    operation = data.draw(st.sampled_from(["add", "subtract", "multiply", "maximum", "minimum"]))
    x, y = (machine.theirs[i] for i in (left, right))
    a, b = (machine.ours[i] for i in (left, right))
    if max(np.abs(x).max(initial=0), np.abs(y).max(initial=0)) > 1e6 or x.shape != y.shape:
        return
    machine.replace(target, getattr(np, operation)(x, y), getattr(ak, operation)(a, b))


def scalar(machine, data):
    target, source, value = pick(data), pick(data), data.draw(st.integers(-3, 3))
    machine.replace(target, machine.theirs[source] - value, machine.ours[source] - value)


def chosen(machine, data):
    target, source, other = pick(data), pick(data), pick(data)
    x, y = machine.theirs[source], machine.theirs[other]
    if x.shape == y.shape:
        a, b = machine.ours[source], machine.ours[other]
        machine.replace(target, np.where(x > y, x, -y), ak.where(a > b, a, -b))


def in_place(machine, data):
    target, source = pick(data), pick(data)
    x, y = machine.theirs[target], machine.theirs[source]
    a, b = machine.ours[target], machine.ours[source]
    if (
        x.shape == y.shape
        and np.can_cast(np.result_type(x, y), x.dtype, "same_kind")
        and np.abs(x).max(initial=0) < 1e6
    ):
        x += y.copy()  # NumPy's own answer for overlapping views is that of a copy, too
        a += b


def alias(machine, data):
    target, source = pick(data), pick(data)
    how = data.draw(st.sampled_from(["same", "copy", "slice", "reverse", "reshape"]))
    x, a = machine.theirs[source], machine.ours[source]
    if how == "same":
        machine.replace(target, x, a)
    elif how == "copy":
        machine.replace(target, x.copy(), a.copy())
    elif how == "slice":
        machine.replace(target, x[1:], a[1:])
    elif how == "reverse":
        machine.replace(target, x[::-1], a[::-1])
    elif x.flags.c_contiguous:
        machine.replace(target, x.reshape(1, -1)[0], a.reshape(1, -1)[0])


def assign(machine, data):
    target, value = pick(data), data.draw(st.integers(-9, 9))
    x, a = machine.theirs[target], machine.ours[target]
    if not len(x):
        return
    how = data.draw(st.sampled_from(["item", "slice", "mask", "index", "all"]))
    key = {"item": len(x) // 2, "slice": slice(1, None, 3), "index": np.array([0, len(x) - 1]), "all": ...}.get(how)
    if how == "mask":
        x[x > 0] = value
        a[a > 0] = value
    else:
        x[key] = value
        a[key] = value


def reduce(machine, data):
    source, name = pick(data), data.draw(st.sampled_from(["sum", "min", "argmax", "any"]))
    x, a = machine.theirs[source], machine.ours[source]
    if len(x):
        assert getattr(a, name)() == getattr(x, name)()


def temporary_reduction(machine, data):
    source, other = pick(data), pick(data)
    x, y = machine.theirs[source], machine.theirs[other]
    if x.shape == y.shape:
        assert (machine.ours[source] * 2 + machine.ours[other]).sum() == (x * 2 + y).sum()


def evaluate(machine, data):
    machine.ours[pick(data)].evaluate()


def look(machine, data):
    machine.check(pick(data))


def sort(machine, data):
    target = pick(data)
    machine.theirs[target].sort()
    machine.ours[target].sort()


STEPS = [combine, scalar, chosen, in_place, alias, assign, reduce, temporary_reduction, evaluate, look, sort]


@settings(max_examples=60)
@given(st.data())
def test_random_program(data):
    machine = Machine()
    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=4, max_size=25)):
        step(machine, data)
    for number in range(3):
        machine.check(number)
