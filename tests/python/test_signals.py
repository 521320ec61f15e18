# SPDX-License-Identifier: Apache-2.0
"""Signal handlers run while another library works, however long it takes: what they raise ends the wait for it.

In each test the library's function sends a signal to its process, and does not return until the test has ended.
"""

import contextlib
import gzip
import importlib
import io
import lzma
import os
import signal
import sqlite3
import sys
import threading
import types
from typing import ClassVar

import numpy as np
import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.columns.datetime.tick import tick_of
from atoll.io import text_file
from atoll.session.interruptible import interruptible
from atoll.storage.source import pour

LONGEST = 60  # seconds that a function waits for its test's end: then signals were not handled, and the test fails


@pytest.fixture(scope="module", autouse=True)
def session():
    ak.shutdown()
    with ak.init(1, 1) as running:
        yield running


@pytest.fixture
def stuck(monkeypatch):
    """`stuck(owner, name)`: the first call of that function sends SIGINT, and does not return before the test ends."""
    ended, begun, late = threading.Event(), threading.Event(), []

    def stick(owner, name):
        function = getattr(owner, name)

        def call(*args, **options):
            if not begun.is_set():
                begun.set()
                os.kill(os.getpid(), signal.SIGINT)
                if not ended.wait(LONGEST):
                    late.append(name)
                raise AssertionError("this result is dropped")
            return function(*args, **options)

        monkeypatch.setattr(owner, name, call)

    yield stick
    ended.set()
    assert begun.is_set()
    assert not late


def test_interruptible_returns_and_raises_as_a_direct_call():
    assert interruptible(divmod, 7, 2) == (3, 1)
    assert interruptible(int, "11", base=2) == 3
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 1, 0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(np.divide, np.ones(3), np.zeros(3))


def test_a_call_of_another_thread_is_direct():
    found = []
    thread = threading.Thread(target=lambda: found.append(interruptible(threading.get_ident)))
    thread.start()
    thread.join()
    assert found == [thread.ident]


LAPACK = {
    "cholesky": lambda a: ak.linalg.cholesky(a @ a.T),
    "solve": lambda a: ak.linalg.solve(a, a),
    "inv": ak.linalg.inv,
    "det": ak.linalg.det,
    "slogdet": ak.linalg.slogdet,
    "eigh": ak.linalg.eigh,
    "eigvalsh": ak.linalg.eigvalsh,
    "eig": ak.linalg.eig,
    "eigvals": ak.linalg.eigvals,
    "tensorinv": lambda a: ak.linalg.tensorinv(a, 1),
    "tensorsolve": lambda a: ak.linalg.tensorsolve(a, a[0]),
    "qr": ak.linalg.qr,
    "svd": ak.linalg.svd,
    "cond": ak.linalg.cond,
    "matrix_rank": ak.linalg.matrix_rank,
    "pinv": ak.linalg.pinv,
    "lstsq": lambda a: ak.linalg.lstsq(a, a[0]),
}


@pytest.mark.parametrize("name", LAPACK)
def test_lapack(stuck, name):
    a = ak.eye(170) + ak.random.default_rng(1).random((170, 170)) / 1000
    a.evaluate()
    stuck(np.linalg, name)
    with pytest.raises(KeyboardInterrupt):
        LAPACK[name](a)
    assert int(ak.arange(10).sum()) == 45


def test_roots_of_a_polynomial(stuck):
    stuck(np, "roots")
    with pytest.raises(KeyboardInterrupt):
        ak.roots(ak.arange(1000))


def test_factors_of_blocks_of_a_tall_matrix(stuck):
    a = ak.zeros((1 << 14, 8))
    a[0] = 1  # columns that are alike, whose products have no factor
    stuck(np.linalg, "qr")
    with pytest.raises(KeyboardInterrupt):
        ak.linalg.qr(a)


def test_lapack_within_the_memory_limit():
    with pytest.raises(MemoryError, match=r"matrices of \d+ bytes and LAPACK's copies"):
        ak.linalg.inv(ak.broadcast_to(1.0, (1 << 20, 1 << 20)))
    with pytest.raises(MemoryError, match="vectors that make up matrices of 1048576 rows"):
        ak.linalg.qr(ak.ones((1 << 20, 2)), mode="complete")


# -- files --


#: By format: where the function is that takes long, its name, and where the reader of all columns is named.
READERS = {
    "csv": ("atoll.io.csv.parse", "table_of", "atoll.io.csv.reader"),
    "csv.gz": ("atoll.io.csv.parse", "table_of", "atoll.io.csv.reader"),
    "json": ("pyarrow.json", "read_json", "atoll.io.json.reader"),
    "json.gz": ("pyarrow.json", "read_json", "atoll.io.json.reader"),
    "orc": ("pyarrow.orc", "ORCFile", "atoll.io.orc.reader"),
    "feather": ("pyarrow.ipc", "open_file", "atoll.io.arrow"),
    "h5": ("h5py", "File", "atoll.io.hdf.reader"),
}


def written(path, frame):
    kind = path.name.split(".")[1]
    options = {"csv": {"index": False}, "json": {"orient": "records", "lines": True}, "h5": {"compression": "gzip"}}
    getattr(frame, "to_" + {"h5": "hdf"}.get(kind, kind))(path, **options.get(kind, {}))
    return lambda: getattr(pd, "read_" + {"h5": "hdf"}.get(kind, kind))(
        path, **({"lines": True} if kind == "json" else {})
    )


@pytest.mark.parametrize("kind", READERS)
def test_readers(tmp_path, monkeypatch, stuck, kind):
    read = written(tmp_path / f"a.{kind}", pd.DataFrame({"a": ak.arange(1000), "b": ak.arange(1000) / 2}))
    owner, name, module = (
        importlib.import_module(one) if "." in one or one == "h5py" else one for one in READERS[kind]
    )
    read_columns = module.read_columns

    def after_planning(*args):
        stuck(owner, name)
        return read_columns(*args)

    monkeypatch.setattr(module, "read_columns", after_planning)
    with pytest.raises(KeyboardInterrupt):
        read()
    assert int(ak.arange(10).sum()) == 45


def test_rows_that_come_after_an_interrupt_are_dropped():
    from atoll.io import reading

    class Here:
        added = 0

        def add(self, *rows):
            self.added += 1

    here = Here()
    landing = reading._Landing(here)
    with landing:
        landing.add(0, 0, None)
    with pytest.raises(RuntimeError, match="these rows come too late"):
        landing.add(0, 0, None)
    assert here.added == 1


#: By format: what says how much is written at a time, and the function that is called for each piece.
WRITERS = {
    "parquet": (None, None, "pyarrow.parquet", "ParquetWriter.write_table"),
    "feather": ("atoll.io.arrow", "_ROWS", "pyarrow.ipc", "RecordBatchFileWriter.write_batch"),
    "orc": ("atoll.io.orc.reader", "_ROWS", "pyarrow.orc", "ORCWriter.write"),
    "h5": ("atoll.io.hdf.writer", "_PIECE", "h5py", "Dataset.__setitem__"),
    "adbc": ("atoll.io.sql", "_ROWS", "adbc_driver_manager.dbapi", "Cursor.adbc_ingest"),
    "sqlite3": ("atoll.frame.files.writers", "_ROWS", "pandas.io.sql", "SQLiteTable._execute_insert"),
}


@pytest.mark.filterwarnings("ignore::atoll.io.fallback.FallbackWarning")
@pytest.mark.parametrize("kind", WRITERS)
def test_writers(tmp_path, monkeypatch, kind):
    """The library gets pieces, and a signal ends the writing between two of them."""
    path = tmp_path / f"a.{kind}"
    frame = pd.DataFrame({"a": ak.arange(20_000), "b": ak.arange(20_000) / 2})

    def write():
        if kind == "adbc":
            frame.to_sql("t", f"sqlite:///{path}", if_exists="replace")
        elif kind == "sqlite3":
            with contextlib.closing(sqlite3.connect(path)) as connection:
                frame.to_sql("t", connection, if_exists="replace")
        elif kind == "parquet":
            frame.to_parquet(path, row_group_size=5_000, encryption_properties=None)
        elif kind == "h5":
            frame.to_hdf(path, compression="gzip")
        else:
            getattr(frame, f"to_{kind}")(path)

    module, constant, owner, name = WRITERS[kind]
    if module is not None:
        monkeypatch.setattr(importlib.import_module(module), constant, 5_000)
    of, name = name.split(".")
    of = getattr(importlib.import_module(owner), of)
    function, calls = getattr(of, name), []

    def count(*args, **options):
        calls.append(name)
        if interrupting:
            os.kill(os.getpid(), signal.SIGINT)
        return function(*args, **options)

    monkeypatch.setattr(of, name, count)
    interrupting = False
    write()
    assert len(calls) >= 4
    calls.clear()
    interrupting = True
    with pytest.raises(KeyboardInterrupt):
        write()
    assert len(calls) == 1


def test_pieces_of_a_stream():
    class Stream(io.BytesIO):
        sizes: ClassVar = []

        def write(self, data):
            self.sizes.append(len(data))
            return super().write(data)

    stream = Stream()
    pour(stream, np.arange(10, dtype=np.int16), 6)
    assert Stream.sizes == [6, 6, 6, 2]
    assert stream.getvalue() == np.arange(10, dtype=np.int16).tobytes()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("ending", ["txt", "gz", "xz"])
def test_a_text_by_pieces(tmp_path, monkeypatch, encoding, ending):
    monkeypatch.setattr(text_file, "COMPRESSED", 7)
    path, text = tmp_path / f"a.{ending}", "a text with an é, longer than a piece"
    text_file.write_text(path, text, encoding=encoding)
    opener = {"gz": gzip.open, "xz": lzma.open}.get(ending, open)
    with opener(path, "rb") as stream:
        assert stream.read().decode(encoding) == text


def test_no_task_goes_on_after_an_error_of_another(monkeypatch):
    from atoll.io import reading

    begun, ended = threading.Event(), []

    def task(number):
        if number == 0:
            begun.wait(LONGEST)
            raise ValueError("the first task")
        begun.set()
        ended.append(number)

    with pytest.raises(ValueError, match="the first task"):
        reading.run_apart(task, [(0,), (1,)], 2)
    assert ended == [1]


def test_pandas_that_another_thread_imports_is_not_looked_at(monkeypatch):
    partial = types.ModuleType("pandas")
    partial.__spec__ = types.SimpleNamespace(_initializing=True)
    monkeypatch.setitem(sys.modules, "pandas", partial)
    assert ak.array([1, 2]).sum() == 3
    assert ak.strings(["a", None]).to_list() == ["a", None]
    assert tick_of(3) is None
