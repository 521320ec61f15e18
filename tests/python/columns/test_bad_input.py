# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind raises the exception type of NumPy or pandas, with advice, and changes nothing."""

import numpy as np
import pyarrow as pa
import pytest

import atoll as ak
from atoll import _core

pytestmark = pytest.mark.usefixtures("two_sessions")


def arrow_texts(offsets, bytes):
    buffers = [None, pa.py_buffer(np.array(offsets, np.int64)), pa.py_buffer(bytes)]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)


def arrow_lists(offsets):
    buffers = [None, pa.py_buffer(np.array(offsets, np.int64))]
    return pa.Array.from_buffers(pa.large_list(pa.int64()), len(offsets) - 1, buffers, children=[pa.array([1, 2, 3])])


def ordered(categories):
    return ak.Categorical(["a", "b"], categories=categories, ordered=True)


def moments(values, unit):
    return ak.array(np.array(values, f"M8[{unit}]"))


CASES = {
    "bytes that are no UTF-8": (lambda: ak.array(arrow_texts([0, 2], b"\xff\xfe")), ValueError, "UTF-8"),
    "offsets that fall": (lambda: ak.array(arrow_texts([0, 3, 1], b"abc")), ValueError, "offsets"),
    "offsets of lists that fall": (lambda: ak.array(arrow_lists([0, 3, 1])), ValueError, "offsets"),
    "segments behind the values": (lambda: ak.SegArray(ak.array([0, 5]), ak.arange(3)), ValueError, "values"),
    "keys of two kinds": (
        lambda: ak.merge(ak.DataFrame({"a": ak.array(["x"])}), ak.DataFrame({"a": ak.array([1])}), on="a"),
        ValueError, "merge on",
    ),
    "rows joined by texts and numbers": (lambda: ak.join(ak.array(["x"]), ak.array([1])), TypeError, "astype"),
    "rows joined by dates and numbers": (lambda: ak.join(moments([1], "s"), ak.array([1])), TypeError, "int64"),
    "dates behind numbers": (lambda: ak.concatenate([moments([1], "s"), ak.array([1])]), TypeError, "int64"),
    "NaN that shall be a whole number": (lambda: ak.Series([1.5, np.nan]).astype("int64"), ValueError, "non-finite"),
    "texts among numbers": (lambda: ak.isin(ak.array(["x"]), ak.array([1])), TypeError, "astype"),
    "dates and numbers": (lambda: moments([1], "s") + ak.array([1]), TypeError, "unsupported"),
    "zones and none": (
        lambda: ak.date_range("2020", periods=2, tz="UTC") - ak.date_range("2020", periods=2), TypeError, "tz-naive",
    ),
    "a pattern that is none": (lambda: ak.array(["a"]).str.contains("("), Exception, "missing \\)"),
    "a window of zero": (lambda: ak.rolling(ak.arange(5), 0).sum(), ValueError, "window"),
    "a window of no time": (
        lambda: ak.rolling(ak.arange(2), "0s", on=ak.date_range("2020", periods=2)).sum(), ValueError, "window",
    ),
    "keys of two lengths": (lambda: ak.groupby([ak.arange(3), ak.arange(4)]), ValueError, "length"),
    "values of another length": (lambda: ak.groupby(ak.arange(3)).sum(ak.arange(4)), ValueError, "shape"),
    "texts of another length": (lambda: ak.array(["a", "b"]) + ak.array(["a"] * 3), ValueError, "rows"),
    "categories twice": (lambda: ak.Categorical(ak.array(["a"]), categories=["a", "a"]), ValueError, "unique"),
    "categories that clash": (lambda: ordered(["a", "b"]) < ordered(["b", "a"]), TypeError, "same"),
    "a date out of range": (lambda: moments(["9999-01-01"], "s").as_unit("ns"), ValueError, "fit"),
    "a date that is none": (lambda: ak.to_datetime(ak.array(["2020-13-01"])), ValueError, "2020-13-01"),
    "a sum out of range": (lambda: moments([2**62], "ns") + np.timedelta64(2**62, "ns"), OverflowError, "fit"),
    "a number that does not fit": (lambda: ak.array(["300"]).astype(np.int8), ValueError, "int8"),
    "too many digits": (lambda: ak.decimals(["1e40"], 38, 0), ValueError, "digits"),
    "an address that is none": (lambda: ak.ip_address(ak.array(["300.1.1.1"])), ValueError, "300.1.1.1"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_errors_of_bad_input_name_the_problem(name):
    action, error, words = CASES[name]
    kept, texts = ak.arange(1000), ak.array(["a", None, "c"])
    with pytest.raises(error, match=words):
        action()
    assert kept.sum() == 499500 and texts.to_list() == ["a", None, "c"]


def test_units_meet():
    seconds, milliseconds = moments([1, 2], "s"), moments([2000, 3000], "ms")
    assert ak.isin(milliseconds, seconds).tolist() == [True, False]
    rows = ak.join(seconds, milliseconds)
    assert (rows.left.tolist(), rows.right.tolist()) == ([1], [0])
    merged = ak.merge(ak.DataFrame({"at": seconds}), ak.DataFrame({"at": milliseconds}))
    assert str(merged["at"][0]) == "1970-01-01 00:00:02"


def test_errors_coerce_makes_invalid_values_missing():
    assert ak.array(["300", "7", "x"]).astype(np.int8, errors="coerce").to_list() == [None, 7, None]
    found = ak.to_datetime(ak.array(["2020-13-01", "2020-01-02"]), errors="coerce")
    assert found.isna().tolist() == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("length", [2**31 + 6, 2**32 + 10])
def test_an_element_over_two_gibibytes(length):
    # One of several PEs makes the element, then moves it to where the column lies.
    needed = length * (1 if ak.pes() == 1 else 2) + 2**28
    stats = ak.init()._core.stats()
    if stats["memory_limit"] - stats["memory_in_use"] < needed:
        pytest.skip(f"needs {needed / 2**30:.1f} GiB of memory on a PE")
    found = ak.array(["ab"]).str.repeat(length // 2)
    assert found.str.len().tolist() == [length]


def test_many_columns():
    frame = ak.DataFrame({f"c{number}": np.array([number]) for number in range(5_000)})
    assert frame.shape == (1, 5_000) and frame["c777"].sum() == 777


@pytest.mark.parametrize("per_day", [0, -1, 4, 86_399, 86_400 * 10**10, -(1 << 63)])
def test_durations_and_dates_of_a_unit_that_is_none_are_refused(per_day):
    texts, _ = _core.text_from_padded(ak.init()._core, np.frombuffer(b"abc", np.uint8).reshape(3, 1))
    for name in ("read_duration", "read_date"):
        with pytest.raises(ValueError, match="times of a day have units from nanoseconds to seconds"):
            _core.text_measure(texts, name, [b"%H"], [per_day, 0])
