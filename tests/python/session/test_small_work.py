# SPDX-License-Identifier: Apache-2.0
"""Small arrays of a driver session stay on PE 0: results are those of any other session, and workers sleep."""

import os
import random
import signal
import threading
import time

import fuzz
import numpy as np
import pandas as pd
import pytest

import atoll as ak
import atoll.pandas as apd

LARGE = 100  # elements: more than the 64 that stay on PE 0 here


@pytest.fixture
def session(monkeypatch):
    ak.shutdown()
    monkeypatch.setenv("ATOLL_SMALL_ELEMENTS", "64")
    with ak.init(3, 1) as session:
        yield session


def commands(session):
    return session._core.stats()["commands"]


def test_operations_of_small_arrays_send_no_commands(session):
    before = commands(session)
    x = ak.array(np.arange(10.0))
    y = ak.sort(-x)[2:5]
    x[3] = 7
    s = apd.Series(["b", "a", "b"]).str.upper()
    assert y.sum() == -18
    assert ak.unique(ak.array([3, 1, 3])).tolist() == [1, 3]
    assert s.value_counts().tolist() == [2, 1]
    assert commands(session) == before


def test_result_of_limit_stays_and_one_element_more_is_spread(session):
    before = commands(session)
    ak.arange(64).evaluate()
    assert commands(session) == before
    ak.arange(65).evaluate()
    assert commands(session) > before


def test_small_with_large(session):
    small, large = ak.arange(5) * 2, ak.arange(LARGE) + 0
    assert (large[:5] + small).tolist() == [0, 3, 6, 9, 12]
    joined = ak.concatenate([small, large])
    assert joined.tolist() == [0, 2, 4, 6, 8, *range(LARGE)]
    assert large[small].tolist() == [0, 2, 4, 6, 8]
    assert ak.isin(large, small).sum() == 5


def test_changes_of_a_small_array_after_it_was_spread(session):
    small, large = ak.array(np.arange(5)), ak.arange(LARGE) + 0
    copied = small.copy()
    joined = ak.concatenate([small, large])
    small[1:3] = -1
    assert small.tolist() == [0, -1, -1, 3, 4]
    assert copied.tolist() == [0, 1, 2, 3, 4]
    assert joined[:5].tolist() == [0, 1, 2, 3, 4]
    large[small[3:]] = small[:2]
    assert large[:6].tolist() == [0, 1, 2, 0, -1, 5]


def test_small_result_of_large_arrays_returns_to_one_pe(session):
    large = ak.arange(LARGE) + 0
    few = large[::20]
    assert few.tolist() == [0, 20, 40, 60, 80]
    before = commands(session)
    assert (few * 2).tolist() == [0, 40, 80, 120, 160]
    assert ak.sort(-few).tolist() == [-80, -60, -40, -20, 0]
    assert commands(session) == before


def test_strings_move_both_ways(session):
    words = [f"word {i % 7}" for i in range(LARGE)]
    large, small = apd.Series(words), apd.Series(["word 3", "x", "ä"])
    assert apd.concat([large, small]).str.len().tolist() == [6] * LARGE + [6, 1, 1]
    assert large.isin(small).sum() == words.count("word 3")
    few = large.iloc[:3]
    assert few.str.upper().tolist() == ["WORD 0", "WORD 1", "WORD 2"]
    assert (few + small).tolist() == ["word 0word 3", "word 1x", "word 2ä"]


def test_rows_of_a_pe_are_those_of_a_spread_array(session):
    small = ak.array(np.arange(9.0))
    mine = small.local()
    assert mine.tolist() == list(range(len(mine)))
    assert len(mine) < 9
    assert small.sum() == 36


def test_frames_of_both_sizes(session):
    rng = np.random.default_rng(1)
    large = {"k": rng.integers(0, 9, 1000), "v": rng.integers(0, 100, 1000)}
    small = {"k": np.arange(9), "name": [f"n{i}" for i in range(9)]}

    def joined(m):
        return m.DataFrame(large).merge(m.DataFrame(small), on="k").groupby("name").v.sum()

    assert joined(apd).to_pandas().equals(joined(pd))


def test_threads_that_use_a_small_array_alone_and_with_a_large_one(session):
    small, large = ak.array(np.arange(20)), ak.arange(LARGE) + 0
    wrong = []

    def work(other, expected):
        for _ in range(200):
            if int((small + other).sum()) != expected:
                wrong.append(expected)

    threads = [threading.Thread(target=work, args=(1, 210)), threading.Thread(target=work, args=(large[:20], 380))]
    for thread in threads:
        thread.start()
    for _ in range(200):
        again = ak.array(np.arange(20))
        assert int(ak.concatenate([again, large]).sum()) == 190 + LARGE * (LARGE - 1) // 2
        assert int(again.sum()) == 190
    for thread in threads:
        thread.join()
    assert not wrong


def test_death_of_a_worker_ends_small_work_too(session):
    small = ak.array(np.arange(5))
    os.kill(session._core.pids()[0], signal.SIGKILL)
    while not session._core.failed:
        time.sleep(0.001)
    with pytest.raises(ak.PeFailedError, match="PE 1"):
        small.sum()


def test_closed_session_refuses_small_arrays(session):
    small = ak.array(np.arange(5))
    session.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        (small + 1).sum()


@pytest.mark.parametrize("limit", [8, 40, 65536])
def test_random_programs(monkeypatch, limit):
    ak.shutdown()
    monkeypatch.setenv("ATOLL_SMALL_ELEMENTS", str(limit))
    with ak.init(3, 1):
        for seed in range(5_000_000, 5_000_100):
            fuzz.check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [8, 40, 65536])
def test_many_random_programs(monkeypatch, limit):
    first = random.randrange(10**9)
    print("first seed", first)
    ak.shutdown()
    monkeypatch.setenv("ATOLL_SMALL_ELEMENTS", str(limit))
    with ak.init(3, 1):
        for seed in range(first, first + 3_000):
            fuzz.check(seed)


def test_programs_on_all_pes_get_small_columns_of_strings(session, tmp_path):
    words = ["a" * 50, None, "b", ""]
    before = commands(session)
    frame = apd.DataFrame({"s": words, "x": [1, 2, 3, 4]})
    assert commands(session) == before  # it is small
    frame.to_parquet(tmp_path / "words.parquet")
    assert apd.read_parquet(tmp_path / "words.parquet")["s"].isna().tolist() == [False, True, False, False]
    assert apd.read_parquet(tmp_path / "words.parquet")["s"].fillna("-").tolist() == ["a" * 50, "-", "b", ""]
    column = ak.array(["y" * 3000])
    ak.save_checkpoint(tmp_path / "kept", {"column": column})
    assert ak.load_checkpoint(tmp_path / "kept")["column"].to_list() == ["y" * 3000]
    assert column.to_list() == ["y" * 3000]
