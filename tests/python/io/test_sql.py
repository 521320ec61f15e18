# SPDX-License-Identifier: Apache-2.0
"""Tables of SQLite, which Python's own module looks into."""

import sqlite3

import pytest

import atoll as ak

dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi")
pytestmark = pytest.mark.usefixtures("every_session")


def test_what_others_wrote_and_what_they_read(tmp_path):
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE things (a INTEGER, f REAL, t TEXT)")
        connection.executemany(
            "INSERT INTO things VALUES (?, ?, ?)", [(i, i / 2, None if i % 3 == 0 else f"ä{i}") for i in range(50)]
        )
    connection.close()
    uri = f"sqlite:///{path}"
    frame = ak.read_sql("things", uri)
    assert frame["a"].to_list() == list(range(50)) and frame["f"].sum() == 612.5
    assert frame["t"].isna().sum() == 17 and frame["t"].to_list()[1] == "ä1"
    some = ak.read_sql("SELECT a, t FROM things WHERE a > ? ORDER BY a DESC", uri, index_col="a", params=[47])
    assert some.index.to_list() == [49, 48] and some["t"].to_list()[0] == "ä49"
    assert frame.to_sql("copy", uri) == 50
    with pytest.raises(dbapi.Error, match="already exists"):
        frame.to_sql("copy", uri)
    frame.to_sql("copy", uri, if_exists="append")
    with dbapi.connect(str(path)) as connection:
        assert len(ak.read_sql("copy", connection)) == 100
        frame.to_sql("copy", connection, if_exists="replace")
        assert len(ak.read_sql("copy", connection)) == 50
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT sum(a), count(t) FROM copy").fetchone() == (1225, 33)
    connection.close()
    with pytest.raises(dbapi.Error, match="no such table"):
        ak.read_sql("SELECT * FROM zzz", uri)
    with pytest.raises(ValueError, match="no driver is known for 'oracle'"):
        ak.read_sql("things", "oracle://x")
    with pytest.raises(TypeError, match="con is a connection"):
        ak.read_sql("things", 7)
