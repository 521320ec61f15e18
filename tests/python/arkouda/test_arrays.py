# SPDX-License-Identifier: Apache-2.0
"""Arkouda's arrays, integers of any size, texts and segments: what differs from NumPy, and what goes beyond it."""

from operator import add, and_, floordiv, lshift, mod, mul, or_, rshift, sub, xor

import numpy as np
import pytest

import atoll
import atoll.arkouda as ak

pytestmark = pytest.mark.usefixtures("two_sessions")
WIDE = [2**200 + 5, 3, 2**64, 0]


def test_connects_to_the_session_that_is_there():
    ak.connect()
    assert ak.core.client.connected
    assert ak.get_config()["numLocales"] == atoll.pes()
    ak.disconnect()


def test_what_numpy_would_take_is_refused():
    a = ak.arange(5)
    for wrong in (lambda: a * [1, 2, 3, 4, 5], lambda: a.any([0])):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match=r"."):
        ak.concatenate([ak.ones(3), ak.array([True])])
    with pytest.raises(NotImplementedError):
        iter(a)


def test_division_is_arkoudas():
    a = ak.array([5, -5, 0])
    assert (a // 0).tolist() == [0, 0, 0]
    assert str(ak.arange(200)) == "[0 1 2 ... 197 198 199]"
    assert repr(ak.array([1, 2])) == "array([1 2])"


@pytest.mark.parametrize(
    "op", [add, sub, mul, floordiv, mod, and_, or_, xor, lshift, rshift], ids=lambda one: one.__name__
)
def test_integers_of_any_size(op):
    wide, other = ak.array(WIDE, dtype=ak.bigint), [7, 2, 3, 1]
    expected = [op(a, b) for a, b in zip(WIDE, other, strict=True)]
    assert op(wide, ak.array(other)).tolist() == expected


def test_integers_of_any_size_wrap_sort_and_group():
    wide = ak.array(WIDE, dtype=ak.bigint, max_bits=100)
    assert wide.tolist() == [one % 2**100 for one in WIDE]
    wide = ak.array(WIDE, dtype=ak.bigint)
    assert wide[ak.argsort(wide)].tolist() == sorted(WIDE)
    assert ak.unique(ak.concatenate([wide, wide])).tolist() == sorted(WIDE)
    assert int(wide.sum()) == sum(WIDE)
    assert [limb.tolist() for limb in ak.array([2**64 + 1, 2], dtype=ak.bigint).bigint_to_uint_arrays()] == [
        [1, 0],
        [1, 2],
    ]


def test_rotations_of_wide_integers_have_a_width():
    one = ak.array([1, 2**99], dtype=ak.bigint, max_bits=100)
    assert one.rotl(1).tolist() == [2, 1]
    assert one.rotr(1).tolist() == [2**99, 2**98]


def test_texts():
    texts = ak.array(["one two", "three", "", "x y z"])
    assert texts.split(" ").tolist() == ["one", "two", "three", "", "x", "y", "z"]
    assert texts.contains("e").tolist() == [True, True, False, False]
    head, tail = texts.peel(" ")
    assert (head.tolist(), tail.tolist()) == (["one", "", "", "x"], ["two", "three", "", "y z"])
    assert (texts + texts).tolist()[1:3] == ["threethree", ""]
    assert texts.findall("[a-z]+").tolist() == ["one", "two", "three", "x", "y", "z"]
    assert ak.intersect1d(texts, ak.array(["three", "four"])).tolist() == ["three"]


def test_segments():
    rows = ak.SegArray(ak.array([0, 2, 2]), ak.array([1, 2, 3, 3]))
    assert rows.tolist() == [[1, 2], [], [3, 3]]
    assert rows.remove_repeats().tolist() == [[1, 2], [], [3]]
    assert rows.append(rows).lengths.tolist() == [2, 0, 2, 2, 0, 2]


def test_sets_of_several_columns_and_intervals():
    a, b = [ak.array([1, 1, 2]), ak.array(["a", "b", "a"])], [ak.array([1, 2]), ak.array(["b", "b"])]
    assert [one.tolist() for one in ak.intersect1d(a, b)] == [[1], ["b"]]
    assert ak.in1d(a, b).tolist() == [False, True, False]
    low, high = ak.array([0, 10]), ak.array([5, 20])
    assert ak.search_intervals(ak.array([3, 7, 12]), (low, high)).tolist() == [0, -1, 1]


def test_modes_of_errors_are_arkoudas():
    with ak.errstate(divide="raise"):
        assert ak.geterr()["divide"] == "raise"
        with pytest.raises(FloatingPointError):
            ak.array([1.0]) / 0
    assert ak.geterr()["divide"] == "ignore"


def test_random_numbers_of_a_seed():
    first, second = (ak.random.default_rng(7).integers(0, 100, 50).tolist() for _ in range(2))
    assert first == second
    assert sorted(ak.random.default_rng(1).permutation(20).tolist()) == list(range(20))
    assert set(ak.randint(0, 3, 100).tolist()) == {0, 1, 2}


def test_addresses_and_fields():
    assert ak.ip_address(["1.2.3.4"]).tolist() == ["1.2.3.4"]
    assert ak.IPv4(ak.array([2**32 - 1])).tolist() == ["255.255.255.255"]
    flags = ak.Fields(ak.array([5, 0]), names="ABC")
    assert "A" in flags.format(5)


def test_moments():
    days = ak.date_range("2024-02-28", periods=3)
    assert days.day.tolist() == [28, 29, 1]
    assert (days[1:] - days[:-1]).sum().days == 2
    assert ak.Timedelta(ak.array([1, 2]), unit="h").seconds.tolist() == [3600, 7200]
    assert np.array_equal(
        (days + ak.Timedelta(ak.array([1]), unit="D")[0]).to_ndarray(), days.to_ndarray() + np.timedelta64(1, "D")
    )


def test_a_checkpoint_gives_arrays_their_values_again(tmp_path):
    a, wide = ak.arange(6).reshape(2, 3), ak.array(WIDE)
    name = ak.save_checkpoint(path=str(tmp_path))
    a[0, 0] = 9
    wide[1] = 7
    ak.load_checkpoint(name, str(tmp_path))
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert wide.tolist() == WIDE
    assert ak.save_checkpoint(name, str(tmp_path), mode="preserve_previous") == name
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, f"{name}.prev"]
    with pytest.raises(RuntimeError, match="already"):
        ak.save_checkpoint(name, str(tmp_path), mode="error")
    with pytest.raises(RuntimeError, match="cannot be read"):
        ak.load_checkpoint("other", str(tmp_path))
    with pytest.raises(ValueError, match="mode"):
        ak.save_checkpoint(mode="override")


def test_one_number_alone_is_numpys_of_the_same_seed():
    for law, given in (("random", {}), ("integers", {"low": 0, "high": 10}), ("standard_gamma", {"shape": 2.5})):
        ours, theirs = ak.random.default_rng(5), np.random.default_rng(5)
        assert [getattr(ours, law)(**given) for _ in range(3)] == [getattr(theirs, law)(**given) for _ in range(3)]


def test_truth_has_no_sign_and_unsigned_integers_stay_unsigned():
    for sign in (lambda a: -a, lambda a: +a):
        with pytest.raises(TypeError, match="sign"):
            sign(ak.array([True, False]))
    assert (-ak.array([1, 0], dtype="uint64")).tolist() == [2**64 - 1, 0]


def test_lists_of_strings_keep_nuls_that_numpy_drops():
    given = ["a\0", "b\0c", "\0", ""]
    assert ak.array(given).tolist() == given
    assert ak.array(given).to_ndarray().tolist() == ["a", "b\0c", "", ""] == np.array(given).tolist()
