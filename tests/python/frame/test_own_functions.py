# SPDX-License-Identifier: Apache-2.0
"""Functions of a user's own, in this process and in worker processes, against pandas."""

import math
import os
import signal
import subprocess
import sys
import traceback

import numpy as np
import pandas
import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.frame.own import elements
from atoll.frame.own.repeatable import is_repeatable
from atoll.session import forked

pytestmark = pytest.mark.usefixtures("one_session")
ROWS = 1500
_CALLS = []


@pytest.fixture(params=["here", "workers"])
def place(request, monkeypatch):
    """Where functions run: all in this process, or in two workers however little there is to do."""
    monkeypatch.setattr(elements, "worker_count", lambda: 1 if request.param == "here" else 2)
    monkeypatch.setattr(elements, "LEAST_S", -1.0)
    return request.param


@pytest.fixture
def workers(monkeypatch):
    """Two workers, and the blocks that they were given."""
    begun = []

    def counted(function, blocks, workers):
        begun.append(blocks)
        return forked.in_workers(function, blocks, workers)

    monkeypatch.setattr(elements, "worker_count", lambda: 2)
    monkeypatch.setattr(elements, "LEAST_S", -1.0)
    monkeypatch.setattr(elements, "in_workers", counted)
    return begun


def data():
    rng = np.random.default_rng(5)
    table = {
        "i": rng.integers(-50, 50, ROWS),
        "f": np.where(rng.random(ROWS) < 0.1, np.nan, rng.random(ROWS)),
        "s": rng.choice(["pear", "fig", "", "éa"], ROWS),
    }
    return pd.DataFrame(table), pandas.DataFrame(table)


def same(ours, theirs):
    ours = ours.to_pandas() if hasattr(ours, "to_pandas") else ours
    if isinstance(theirs, pandas.DataFrame):
        pandas.testing.assert_frame_equal(ours, theirs)
    else:
        pandas.testing.assert_series_equal(ours, theirs)


SCALE = 3


def helper(x):
    return x * SCALE


FUNCTIONS = {
    "float": ("f", lambda x: math.sin(x) + 1),
    "int": ("i", lambda x: x * 7 % 5),
    "bool": ("i", lambda x: x > 3),
    "int and float": ("i", lambda x: x / 2 if x > 3 else x),
    "str": ("s", lambda x: x.upper() + "!"),
    "None among them": ("i", lambda x: None if x < 0 else x),
    "str and int": ("i", lambda x: str(x) if x < 0 else x),
    "NumPy": ("f", lambda x: np.floor(x * 8)),
    "others": ("i", lambda x: helper(x) + len(str(x))),
    "tuples": ("i", lambda x: (x, -x)),
    "large": ("i", lambda x: x + 10**30),
    "Timestamps": ("i", lambda x: pandas.Timestamp(2026, 1, 1) + pandas.Timedelta(days=x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_values(name, place):
    column, function = FUNCTIONS[name]
    ours, theirs = data()
    for how in ("map", "apply"):
        made = getattr(ours[column], how)(function).to_list()
        expected = getattr(theirs[column], how)(function).to_list()
        assert list(map(repr, made)) == list(map(repr, expected)), how
    assert ours[column].map(function).dtype == theirs[column].map(function).dtype


def test_missing_values_can_be_left_alone(place):
    ours, theirs = data()
    same(
        ours["f"].map(lambda x: round(x, 1), na_action="ignore"),
        theirs["f"].map(lambda x: round(x, 1), na_action="ignore"),
    )


ROW_FUNCTIONS = {
    "float": lambda row: row["i"] * 2 + row["f"],
    "attribute": lambda row: len(row.s) + row.i,
    "str": lambda row: f"{row['s']}-{row['i']}",
    "tuple": lambda row: (row["i"], row["s"]),
    "bool": lambda row: row["f"] > 0.5,
    "Series": lambda row: row[["i", "f"]] * 2,
    "name": lambda row: row.name + 1,
}


@pytest.mark.parametrize("name", ROW_FUNCTIONS)
def test_functions_of_rows(name, place):
    rows = 80 if name == "Series" else ROWS
    made, expected = (df[:rows].apply(ROW_FUNCTIONS[name], axis=1) for df in data())
    if name == "Series":
        same(made.astype("float64"), expected.astype("float64"))
        return
    assert list(map(repr, made.to_list())) == list(map(repr, expected.to_list()))
    assert made.index.to_list() == expected.index.to_list()


GROUP_FUNCTIONS = {
    "scalar": lambda part: part.f.max() - part.f.min(),
    "Series": lambda part: part[["i", "f"]].sum(),
    "rows": lambda part: part.head(2),
}


@pytest.mark.parametrize("name", GROUP_FUNCTIONS)
@pytest.mark.parametrize("key", ["s", "i"])
def test_functions_of_groups(name, key, place):
    ours, theirs = data()
    made = ours.groupby(key)[["i", "f"]].apply(GROUP_FUNCTIONS[name])
    same(made, theirs.groupby(key)[["i", "f"]].apply(GROUP_FUNCTIONS[name]))
    made = ours.groupby(key)["f"].apply(lambda part: part.sum() + len(part))
    same(made, theirs.groupby(key)["f"].apply(lambda part: part.sum() + len(part)))
    made = ours.groupby(key)["f"].transform(lambda part: part - part.mean())
    same(made, theirs.groupby(key)["f"].transform(lambda part: part - part.mean()))


@pytest.mark.parametrize("raw", [True, False])
def test_functions_of_windows(raw, place):
    ours, theirs = data()
    for column in ("i", "f"):
        made = ours[column].rolling(3).apply(lambda w: w.max() - w.min(), raw=raw)
        same(made, theirs[column].rolling(3).apply(lambda w: w.max() - w.min(), raw=raw))
    made = ours["f"].rolling(4, min_periods=2).apply(lambda w: w.sum(), raw=raw)
    same(made, theirs["f"].rolling(4, min_periods=2).apply(lambda w: w.sum(), raw=raw))


def test_repeatable_functions_run_in_workers(workers):
    ours, _ = data()
    assert set(ours["i"].map(lambda x: less_itself(x)).to_list()) == {0}
    ours.apply(lambda row: row["i"] + 1, axis=1)
    ours.groupby("i").apply(lambda part: part.f.sum())
    assert len(workers) == 3


def less_itself(x):
    return x - x


def test_others_run_here_in_order(workers):
    ours, _ = data()
    seen, table = [], {}

    def remembers(x):
        seen.append(x)
        return len(seen)

    def names(x):
        return table.setdefault(x, len(table))

    assert ours["i"].map(remembers).to_list() == list(range(1, ROWS + 1))
    assert seen == ours["i"].to_list()
    ours["i"].map(names)
    assert set(table) == set(seen)
    assert workers == []


def counts(x):
    global _TOTAL
    _TOTAL = x
    return x


def has_default(x, seen=[]):  # noqa: B006
    seen.append(x)
    return x


class Thing:
    factor = 2

    def times(self, x):
        return x * self.factor


def adds_attribute(x):
    adds_attribute.last = x
    return x


LIMITS = {"low": 1}
WORDS = ["a", "b"]


@pytest.mark.parametrize(
    ("expected", "function"),
    [
        (True, lambda x: x + SCALE),
        (True, lambda x: math.sqrt(abs(x))),
        (True, lambda x: np.sin(x)),
        (True, lambda x: helper(x)),
        (True, lambda x: LIMITS["low"] < x),
        (True, lambda x: LIMITS.get(x, 0)),
        (True, lambda x: [y for y in str(x) if y in WORDS]),
        (True, lambda x: sum(y for y in range(x))),
        (True, str),
        (True, str.upper),
        (True, math.sin),
        (True, LIMITS.get),
        (True, lambda row: row["a"] if row["a"] > row.b else pandas.NA),
        (False, lambda x: WORDS.append(x)),
        (False, lambda x: LIMITS.update({x: 1})),
        (False, lambda x: np.random.default_rng().random() + x),
        (False, lambda x: print(x)),
        (False, lambda x: os.getpid() + x),
        (False, lambda x: open(x)),  # noqa: SIM115
        (False, lambda x: pandas.Timestamp.now()),
        (False, counts),
        (False, has_default),
        (False, adds_attribute),
        (False, Thing().times),
        (False, WORDS.append),
        (False, lambda x: (yield x)),
        (False, lambda x: undefined_name + x),  # noqa: F821
    ],
)
def test_repeatable(expected, function):
    assert is_repeatable(function) is expected


def test_closures_that_change_are_not_repeatable():
    total, words, factor = 0, [], 2.5

    def sums(x):
        nonlocal total
        total += x
        return total

    assert not is_repeatable(sums)
    assert not is_repeatable(lambda x: words.append(x))
    assert is_repeatable(lambda x: x * factor)
    assert is_repeatable(lambda x: x in words)


def fails_late(x):
    if x == 1400:
        raise KeyError("this row")
    return x


def test_errors_have_the_line_of_the_function(place):
    with pytest.raises(KeyError, match="this row") as caught:
        pd.Series(range(ROWS)).map(fails_late)
    lines = "".join(traceback.format_tb(caught.tb))
    assert 'raise KeyError("this row")' in lines


def test_errors_become_missing_values(place):
    made = pd.Series(range(ROWS)).map(fails_late, errors="null")
    assert made.isna().sum() == 1
    assert np.isnan(made[1400])
    assert made[1399] == 1399
    with pytest.raises(ValueError, match="errors='ignore'"):
        elements.each(ak.arange(3), fails_late, errors="ignore")


def test_results_that_cannot_be_sent_are_made_here(workers):
    made = pd.Series(range(ROWS)).map(lambda x: lambda: x)
    assert made[3]() == 3


def test_a_killed_worker_is_an_error():
    def killed(block):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(forked.WorkerLostError, match="without an answer"):
        forked.in_workers(killed, 4, 2)


def test_the_first_failing_block_is_told():
    def fails(block):
        if block >= 2:
            raise ValueError(f"block {block}")
        return block

    found = forked.in_workers(fails, 6, 2)
    assert found[:2] == [0, 1]
    assert str(found[2].error) == "block 2"
    assert "in fails" in found[2].traceback


def test_workers_have_no_workers():
    assert forked.in_workers(lambda block: forked.worker_count(), 2, 2) == [1, 1]
    assert forked.worker_count() >= 1


def test_large_answers_come_whole():
    found = forked.in_workers(lambda block: np.full(300_000, block), 5, 2)
    assert [int(one.sum()) for one in found] == [300_000 * block for block in range(5)]


INTERRUPTED = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
sys.path[:0] = {path!r}
from atoll.session import forked
def endless(block):
    os.write(1, f"{{os.getpid()}}\\n".encode())
    while True:
        time.sleep(0.01)
try:
    forked.in_workers(endless, 2, 2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_the_workers():
    code = INTERRUPTED.format(path=sys.path)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as script:
        try:
            workers = [int(script.stdout.readline()) for _ in range(2)]
            script.send_signal(signal.SIGINT)
            assert script.communicate(timeout=100)[0] == "interrupted\n"
        finally:
            script.kill()
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_frames_of_this_process_stay_usable(workers):
    ours, theirs = data()
    doubled = ours["i"].map(lambda x: x * 2)
    assert int(doubled.sum()) == int(theirs["i"].sum()) * 2
    assert int((ours["i"] + doubled).sum()) == int(theirs["i"].sum()) * 3
    assert ak.arange(10).sum() == 45
