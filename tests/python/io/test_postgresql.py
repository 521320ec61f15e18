# SPDX-License-Identifier: Apache-2.0
"""Tables of a real PostgreSQL, which listens on a unix socket of the test's own directory alone."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import atoll as ak

dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
pytestmark = pytest.mark.usefixtures("every_session")

#: Debian keeps the servers' programs out of the path.
SERVERS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))


@pytest.fixture(scope="module")
def server():
    """The URI of a server; it refuses to run as root, so root starts it as another user."""
    if not SERVERS:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    programs, place = SERVERS[-1], Path(tempfile.mkdtemp(prefix="atoll-postgres-"))
    user = {}
    if os.geteuid() == 0:
        found = [one for one in pwd.getpwall() if one.pw_name == "postgres"]
        if not found:
            pytest.skip("there is no user postgres to run the server as")
        shutil.chown(place, found[0].pw_uid, found[0].pw_gid)
        user = {"user": found[0].pw_uid, "group": found[0].pw_gid}
    data = place / "data"

    def run(program, *arguments):
        subprocess.run(
            [f"{programs}/{program}", *arguments], check=True, cwd=place, stdout=subprocess.DEVNULL, timeout=120, **user
        )

    try:
        run("initdb", "-D", str(data), "-U", "atoll", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        settings = f"-c listen_addresses='' -c unix_socket_directories='{place}' -c fsync=off"
        run("pg_ctl", "-D", str(data), "-w", "-l", str(place / "log"), "-o", settings, "start")
        try:
            yield f"postgresql://atoll@/postgres?host={place}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def ask(uri, *statements):
    with dbapi.connect(uri) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


def test_what_others_wrote_is_read(server):
    ask(
        server,
        "DROP TABLE IF EXISTS things",
        "CREATE TABLE things (a int, b bigint, s smallint, f real, g double precision, t text, v varchar(9), o boolean,"
        " d date, m timestamp, z timestamptz, n numeric(10, 2), l int[], y bytea)",
        "INSERT INTO things SELECT i, i * 10000000000, i % 7, i / 2.0, i / 4.0,"
        " CASE WHEN i % 3 = 0 THEN NULL ELSE 'ä' || i END, 'v' || i, i % 2 = 0, date '2026-11-24' + i,"
        " timestamp '2026-11-24 12:00' + i * interval '1 hour', timestamptz '2026-11-24 12:00+00', i + 0.25,"
        " ARRAY[i, i + 1], decode('00ff', 'hex') FROM generate_series(0, 99) i",
    )
    df = ak.read_sql("SELECT * FROM things ORDER BY a", server)
    assert len(df) == 100 and df.a.sum() == 4950 and df.b.max() == 990000000000 and df.s.max() == 6
    assert df.f.to_list()[3] == 1.5 and df.g.sum() == 4950 / 4
    assert df.t.isna().sum() == 34 and df.t.to_list()[1] == "ä1" and df.v.to_list()[99] == "v99"
    assert df.o.sum() == 50
    assert str(df.d.to_list()[1])[:10] == "2026-11-25"
    assert df.m.dt.hour.to_list()[:3] == [12, 13, 14] and str(df.z.dt.tz) == "UTC"
    assert [float(one) for one in df.n.to_list()[:2]] == [0.25, 1.25]
    assert df.l.list.len().sum() == 200 and df.y.to_list()[0] == b"\x00\xff"
    some = ak.read_sql("SELECT a, t FROM things WHERE a > $1 ORDER BY a DESC", server, index_col="a", params=[97])
    assert some.index.to_list() == [99, 98]
    assert ak.read_sql("SELECT a FROM things WHERE a < 0", server).shape == (0, 1)


def test_what_is_written_others_read(server):
    df = ak.DataFrame({"k": [1, 2, 3, 4], "x": [0.5, None, 1.5, 2.0], "t": ["a", None, "ç", ""]})
    df["at"] = ak.to_datetime(ak.array(["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]))
    ask(server, "DROP TABLE IF EXISTS copy")
    assert df.to_sql("copy", server) == 4
    with dbapi.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT sum(k)::bigint, count(x), count(t), min(at)::text FROM copy")
        assert cursor.fetchone() == (10, 3, 3, "2026-01-01 00:00:00")
    with pytest.raises(dbapi.Error, match="already exists"):
        df.to_sql("copy", server)
    df.to_sql("copy", server, if_exists="append")
    back = ak.read_sql("copy", server)
    assert len(back) == 8 and back.head(4).drop(columns="at").equals(df.drop(columns="at"))
    df.to_sql("copy", server, if_exists="replace")
    assert len(ak.read_sql("copy", server)) == 4


def test_errors_are_the_servers(server):
    with pytest.raises(dbapi.Error, match="does not exist"):
        ak.read_sql("SELECT * FROM no_such_table", server)
    with pytest.raises(dbapi.Error, match="syntax error"):
        ak.read_sql("SELEKT 1 AS a", server)
    with pytest.raises(dbapi.Error):
        ak.read_sql("SELECT 1 AS a", server.replace("host=", "host=/no/such/place"))
