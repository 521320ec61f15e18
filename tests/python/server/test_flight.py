# SPDX-License-Identifier: Apache-2.0
"""`atoll flight`: published frames as tables of Arrow Flight SQL."""

import contextlib
import datetime
import os
import signal
import subprocess
import sys

import pytest
from server.conftest import running_server

import atoll as ak
import atoll.pandas as pd
from atoll.serve import server_files

flight = pytest.importorskip("pyarrow.flight")
pytest.importorskip("duckdb")

from atoll.serve.flight.catalog import like
from atoll.serve.flight.messages import _as_varint, _fields, pack, unpack
from atoll.serve.flight.tables import distinct

NUMBERS = [4, 1, None, 2, 3]


@contextlib.contextmanager
def gateway(server, *words):
    """`atoll flight` in a process of its own; gives the process and its location."""
    command = [sys.executable, "-m", "atoll", "flight", server, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith(f"tables of {server!r} by Flight SQL: grpc://"), line + process.stderr.read()
            yield process, line.split("SQL: ")[1].split(",")[0]
        finally:
            process.terminate()
            assert process.wait(60) == 0, process.stderr.read()


def publish_all():
    frame = pd.DataFrame({
        "number": pd.array(NUMBERS, dtype="Int64"), "text": ["a", "b", None, "a", "é"],
        "day": pd.date_range("2024-02-28", periods=5), "kind": pd.Categorical(["x", "y", "x", "x", "y"]),
    })  # fmt: skip
    ak.publish("trips", frame, replace=True)
    ak.publish("labelled", frame[["text"]].set_index(frame["number"].fillna(0)), replace=True)
    ak.publish("empty", frame.iloc[:0], replace=True)
    ak.publish("wide", pd.DataFrame({"A": [1], "a": [2]}), replace=True)
    ak.publish("values", ak.arange(3), replace=True)


class Client:
    """Statements through Flight SQL, as pyarrow's plain Flight client sends them."""

    def __init__(self, location, token):
        self.location = location
        self.client = flight.connect(location)
        self.options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())], timeout=60)

    def ask(self, name, **fields):
        command = pack(name, {key: value.encode() for key, value in fields.items()})
        return self.follow(flight.FlightDescriptor.for_command(command))

    def follow(self, descriptor):
        info = self.client.get_flight_info(descriptor, self.options)
        found = self.client.do_get(info.endpoints[0].ticket, self.options).read_all()
        assert found.schema == info.schema
        return found

    def select(self, text):
        return self.ask("CommandStatementQuery", query=text)


@pytest.fixture(scope="module")
def client(server):
    with ak.connect(server):
        publish_all()
    with gateway(server) as (_, location):
        yield Client(location, server_files.flight_token_of(server).read_text())


def test_a_select_reads_a_published_frame(client):
    found = client.select("SELECT text, sum(number)::BIGINT AS total FROM trips GROUP BY text ORDER BY total")
    assert found.to_pydict() == {"text": ["b", "é", "a", None], "total": [1, 3, 6, None]}


def test_all_columns_have_the_types_of_arrow(client):
    found = client.select("SELECT * FROM trips")
    assert found.column("number").to_pylist() == NUMBERS
    assert found.column("kind").to_pylist() == ["x", "y", "x", "x", "y"]
    assert found.column("day")[1].as_py() == datetime.datetime(2024, 2, 29)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT count(*) FROM trips", [(5,)]),
        ("SELECT count(*) FROM empty", [(0,)]),
        ("SELECT x.number FROM trips x JOIN trips y ON x.number = y.number + 1 ORDER BY 1", [(2,), (3,), (4,)]),
        ("SELECT number FROM labelled WHERE text = 'é'", [(3,)]),
        ('SELECT "A", "a_2" FROM wide', [(1, 2)]),
        ("SELECT number FROM (SELECT * FROM Trips) WHERE kind = 'y' ORDER BY 1 LIMIT 1", [(1,)]),
        ("WITH r AS (SELECT * FROM atoll.main.trips) SELECT max(day) FROM r", [(datetime.datetime(2024, 3, 3),)]),
        ("SELECT 1 + 1", [(2,)]),
    ],
)
def test_queries_of_several_forms(client, text, rows):
    assert [tuple(row.values()) for row in client.select(text).to_pylist()] == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DROP VIEW trips", "one SELECT at a time"),
        ("SELECT 1; SELECT 2", "one SELECT at a time"),
        ("INSERT INTO trips VALUES (1)", "one SELECT at a time"),
        ("COPY trips TO '/tmp/x.csv'", "one SELECT at a time"),
        ("SELECT nothing FROM trips", 'Referenced column "nothing" not found'),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("SELEC", "syntax error"),
    ],
)
def test_statements_that_are_refused(client, text, message):
    with pytest.raises(flight.FlightError, match=message) as caught:
        client.select(text)
    assert "Traceback" not in str(caught.value)


def test_the_catalog_lists_frames_alone(client):
    found = client.ask("CommandGetTables").to_pydict()
    assert found["table_name"] == ["empty", "labelled", "trips", "wide"]
    assert set(found["table_type"]) == {"TABLE"}
    assert client.ask("CommandGetTables", table_name_filter_pattern="_rips").num_rows == 1
    assert client.ask("CommandGetTables", catalog="other").num_rows == 0
    assert client.ask("CommandGetCatalogs").to_pydict() == {"catalog_name": ["atoll"]}
    assert client.ask("CommandGetPrimaryKeys", table="trips").num_rows == 0
    info = client.ask("CommandGetSqlInfo").to_pydict()
    assert dict(zip(info["info_name"], info["value"], strict=True))[3] is True  # read only


def test_a_later_version_of_a_name_is_read(client, server):
    before = client.select("SELECT count(*) AS n FROM wide")
    with ak.connect(server):
        ak.publish("wide", pd.DataFrame({"A": [1, 2, 3], "a": [2, 3, 4]}), replace=True)
        after = client.select("SELECT count(*) AS n FROM wide")
        ak.publish("wide", pd.DataFrame({"A": [1], "a": [2]}), replace=True)
    assert (before.column("n").to_pylist(), after.column("n").to_pylist()) == ([1], [3])


@pytest.mark.parametrize("token", [None, "", "x", "x" * 43])
def test_a_client_without_the_token_is_refused(client, token):
    headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    options = flight.FlightCallOptions(headers=headers, timeout=60)
    with pytest.raises(flight.FlightUnauthenticatedError, match="token is missing or wrong"):
        list(client.client.list_actions(options))


@pytest.mark.parametrize("command", [b"", b"\x00", b"\xff" * 40, b"\x0a\x7f", pack("CommandStatementUpdate", {})])
def test_bytes_that_are_no_question_are_refused(client, command):
    with pytest.raises(flight.FlightError, match=r"no message of Flight SQL|does not (know|answer)"):
        client.follow(flight.FlightDescriptor.for_command(command))


def test_adbc_reads_tables_and_binds_parameters(client, server):
    dbapi = pytest.importorskip("adbc_driver_flightsql.dbapi")
    token = server_files.flight_token_of(server).read_text()
    for given in ({"username": "ada", "password": token}, {"adbc.flight.sql.authorization_header": f"Bearer {token}"}):
        with (
            dbapi.connect(client.location, db_kwargs=given, autocommit=True) as connection,
            connection.cursor() as cursor,
        ):
            assert connection.adbc_get_info()["vendor_name"] == "Atoll"
            assert connection.adbc_get_table_schema("wide").names == ["A", "a_2"]
            cursor.execute("SELECT number FROM trips WHERE number > ? AND kind = ? ORDER BY 1", [1, "x"])
            assert cursor.fetchall() == [(2,), (4,)]


def test_a_server_that_has_ended_is_named(home):
    with running_server("brief") as process, gateway("brief") as (shown, location):
        with ak.connect("brief"):
            ak.publish("one", pd.DataFrame({"a": [1]}))
        client = Client(location, server_files.flight_token_of("brief").read_text())
        assert client.select("SELECT * FROM one").num_rows == 1
        process.kill()
        process.wait()
        with pytest.raises(flight.FlightUnavailableError, match="does not answer"):
            client.select("SELECT * FROM one")
        os.kill(shown.pid, signal.SIGINT)
        assert (shown.wait(60), shown.stderr.read()) == (0, "")


def test_other_addresses_need_a_certificate(server):
    done = subprocess.run(
        [sys.executable, "-m", "atoll", "flight", server, "--host", "0.0.0.0"], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "would not be encrypted" in done.stderr


def test_labels_that_differ_in_case_are_numbered():
    assert distinct(["a", "A", "b", "a"]) == ["a", "A_2", "b", "a_3"]


def test_patterns_of_tables():
    assert like(None, "a")
    assert like("a%", "a.b\nc")
    assert not like("a", "ab")
    assert not like("a.b", "axb")


@pytest.mark.parametrize("value", [0, 1, 127, 128, 1 << 40, (1 << 64) - 1])
def test_numbers_of_messages_come_back(value):
    assert list(_fields(b"\x08" + _as_varint(value))) == [(1, value)]


def test_a_message_comes_back():
    text = "SELECT '" + "é" * 200 + "'"
    assert unpack(pack("CommandStatementQuery", {"query": text.encode()})) == ("CommandStatementQuery", {"query": text})
