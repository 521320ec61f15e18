# SPDX-License-Identifier: Apache-2.0
"""The 22 queries of TPC-H give DuckDB's answers: at a hundredth of scale 1, and slow ones at scale 1."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "examples/tpch"))

duckdb = pytest.importorskip("duckdb")
from queries import QUERIES
from tables import TABLES, generate, generator, read

import atoll as ak

if generator() is None:
    pytest.skip("tpchgen-cli, which makes the tables, is not installed", allow_module_level=True)


def sql():
    text = (ROOT / "examples/tpch/queries.sql").read_text()
    parts = re.split(r"^-- (\d+)$", text, flags=re.MULTILINE)
    return {int(number): query for number, query in zip(parts[1::2], parts[2::2], strict=True)}


def answers(folder, scale):
    """DuckDB's answer to each query."""
    with duckdb.connect() as connection:
        for name in TABLES:
            connection.execute(f"create view {name} as select * from '{folder / name}.parquet'")
        return {
            number: connection.sql(query.replace(":fraction", f"{0.0001 / scale:.10f}")).to_arrow_table()
            for number, query in sql().items()
        }


def plain(column):
    """Values of a column as floats, days or texts."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else column
    if any(hasattr(value, "year") or isinstance(value, np.datetime64) for value in values):
        return np.array(values, dtype="datetime64[D]")
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array(values, dtype=np.float64)


def same(answer, expected):
    if not isinstance(answer, ak.DataFrame):
        wanted = expected.column(0)[0].as_py()  # of no rows SQL's sum is null, pandas' is 0
        np.testing.assert_allclose(answer, 0 if wanted is None else float(wanted), rtol=1e-9)
        return
    assert list(answer.columns) == expected.column_names
    assert len(answer) == expected.num_rows
    for label in expected.column_names:
        got, wanted = plain(answer[label].to_list()), plain(expected.column(label))
        if wanted.dtype == np.float64:
            np.testing.assert_allclose(got, wanted, rtol=1e-9, err_msg=label)
        else:
            assert got.tolist() == wanted.tolist(), label


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tpch")
    generate(folder, 0.01)
    return folder, answers(folder, 0.01)


@pytest.mark.parametrize("pes", [1, 3])
def test_answers_are_duckdbs(small, pes):
    folder, expected = small
    ak.shutdown()
    with ak.init(pes, 1):
        tables = read(folder, 0.01)
        for number, query in QUERIES.items():
            answer = query(tables)
            try:
                same(answer, expected[number])
            except AssertionError as error:
                raise AssertionError(f"query {number}: {error}") from None


@pytest.mark.slow
def test_answers_are_duckdbs_at_scale_1(tmp_path):
    generate(tmp_path, 1)
    expected = answers(tmp_path, 1)
    ak.shutdown()
    with ak.init(1, 2):
        tables = read(tmp_path, 1)
        for number, query in QUERIES.items():
            same(query(tables), expected[number])


def test_the_queries_are_pandas(small):
    """The same functions take pandas' frames: what they say of pandas' style is true."""
    folder, expected = small
    tables = read(folder, 0.01)
    for name in TABLES:
        setattr(tables, name, getattr(tables, name).to_pandas())
    for number in (1, 6, 12, 14, 19, 22):
        answer = QUERIES[number](tables)
        same(ak.DataFrame(answer) if isinstance(answer, pd.DataFrame) else answer, expected[number])
