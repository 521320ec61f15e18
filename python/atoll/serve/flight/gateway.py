# SPDX-License-Identifier: Apache-2.0
"""The Flight SQL server: reads published frames for clients that know the token.

A statement's ticket contains the statement, so that the server keeps nothing between requests but prepared statements
and their parameters.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.flight as flight  # without types: mypy takes its classes, and subclasses of them, for Any

from .catalog import answer
from .messages import Message, pack, unpack
from .queries import Query
from .tables import Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Prepared statements that are kept; a client that prepares more loses its oldest one.
MOST_PREPARED = 1024
_CREATE, _CLOSE = "CreatePreparedStatement", "ClosePreparedStatement"
_EMPTY = pa.schema([])


@dataclass
class Prepared:
    """A prepared statement, and the values of its parameters: one row for each execution."""

    text: str
    parameters: int
    values: tuple[Any, ...] = ()


class _Admission(flight.ServerMiddleware):  # type: ignore[misc]
    """Gives a client that has proved itself by `Basic` the token for its later calls."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._token = token

    def sending_headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}"}


class _TokenCheck(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Refuses each call that does not have the token, as `Bearer TOKEN` or as the password of `Basic`."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._token = token

    def start_call(self, info: Any, headers: Mapping[str, Sequence[str | bytes]]) -> Any:
        for given in headers.get("authorization", ()):
            text = given.decode("utf-8", "replace") if isinstance(given, bytes) else given
            scheme, _, rest = text.partition(" ")
            if scheme.lower() == "basic":
                rest = _password(rest)
            if hmac.compare_digest(rest.strip().encode("utf-8", "replace"), self._token.encode()):
                return _Admission(self._token)
        raise flight.FlightUnauthenticatedError(
            "the token is missing or wrong. Send `authorization: Bearer TOKEN`, or the token as the password"
        )


def _password(encoded: str) -> str:
    try:  # some clients leave the padding out
        return (
            base64.b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True)
            .decode("utf-8", "replace")
            .partition(":")[2]
        )
    except ValueError:
        return ""


class _NoHandshake(flight.ServerAuthHandler):  # type: ignore[misc]
    """The handshake itself proves nothing: `_TokenCheck` looks at the headers of all calls, this one among them."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        return None

    def is_valid(self, token: bytes) -> bytes:
        return b""


class Gateway(flight.FlightServerBase):  # type: ignore[misc]
    """Serves the published frames of a server by Flight SQL, until `shutdown`.

    Parameters
    ----------
    tables
        The frames.
    token
        What clients must send.
    host, port
        Where to listen; port 0: a free one.
    certificate, key
        PEM files; without them nothing is encrypted.
    memory
        Bytes that one query may use; 0: DuckDB's own limit, 80 % of the host's memory.
    """

    def __init__(
        self, tables: Tables, token: str, host: str, port: int, *, certificate: bytes = b"", key: bytes = b"",
        memory: int = 0,
    ) -> None:  # fmt: skip
        scheme = "grpc+tls" if certificate else "grpc"
        shown = f"[{host}]" if ":" in host else host
        super().__init__(
            f"{scheme}://{shown}:{port}", auth_handler=_NoHandshake(),
            tls_certificates=[(certificate, key)] if certificate else None,
            middleware={"token": _TokenCheck(token)},
        )  # fmt: skip
        self._tables, self._memory = tables, memory
        self._prepared: OrderedDict[bytes, Prepared] = OrderedDict()
        self.location = f"{scheme}://{shown}:{self.port}"

    def get_flight_info(self, context: Any, descriptor: Any) -> Any:
        """How to get the answer to a command: its schema and its ticket."""
        return _checked(lambda: self._info(descriptor))

    def get_schema(self, context: Any, descriptor: Any) -> Any:
        """The schema of the answer to a command."""
        return _checked(lambda: flight.SchemaResult(self._info(descriptor).schema))

    def _info(self, descriptor: Any) -> Any:
        if descriptor.descriptor_type != flight.DescriptorType.CMD:
            raise ValueError("the server answers commands of Flight SQL, and has no paths. Use a Flight SQL client?")
        name, message = unpack(descriptor.command)
        ticket, text = descriptor.command, message.get("query", "")
        if name == "CommandStatementQuery":
            schema = self._query(text).schema()
            ticket = pack("TicketStatementQuery", {"statement_handle": text.encode()})
        elif name == "CommandPreparedStatementQuery":
            prepared = self._known(message.get("prepared_statement_handle", b""))
            schema = self._query(prepared.text).schema(prepared.values)
        else:
            schema = self._catalog(name, message).schema
        return flight.FlightInfo(schema, descriptor, [flight.FlightEndpoint(ticket, [])], -1, -1)

    def do_get(self, context: Any, ticket: Any) -> Any:
        """The rows of an answer."""
        return _checked(lambda: self._stream(context, ticket))

    def _stream(self, context: Any, ticket: Any) -> Any:
        name, message = unpack(ticket.ticket)
        if name == "TicketStatementQuery":
            schema, rows = self._query(message.get("statement_handle", b"").decode()).run()
        elif name == "CommandPreparedStatementQuery":
            prepared = self._known(message.get("prepared_statement_handle", b""))
            schema, rows = self._query(prepared.text).run(prepared.values)
        else:
            return flight.RecordBatchStream(self._catalog(name, message))
        return flight.GeneratorStream(schema, _until_cancelled(context, rows))

    def do_action(self, context: Any, action: Any) -> Iterator[bytes]:
        """Makes and forgets prepared statements."""
        return iter(_checked(lambda: self._action(action)))

    def _action(self, action: Any) -> list[bytes]:
        if action.type not in (_CREATE, _CLOSE):
            raise NotImplementedError(f"the server has no action {action.type!r} (it is read only)")
        _, message = unpack(action.body.to_pybytes())
        if action.type == _CLOSE:
            self._prepared.pop(message.get("prepared_statement_handle", b""), None)
            return []
        text = message.get("query", "")
        query = self._query(text)
        handle = secrets.token_bytes(16)
        self._prepared[handle] = Prepared(text, query.parameters)
        while len(self._prepared) > MOST_PREPARED:
            self._prepared.popitem(last=False)
        parameters = pa.schema([pa.field(f"{number + 1}", pa.null()) for number in range(query.parameters)])
        return [
            pack(
                "ActionCreatePreparedStatementResult",
                {
                    "prepared_statement_handle": handle,
                    "dataset_schema": query.schema().serialize().to_pybytes(),
                    "parameter_schema": parameters.serialize().to_pybytes(),
                },
            )
        ]

    def list_actions(self, context: Any) -> list[tuple[str, str]]:
        """The actions that `do_action` knows."""
        return [(_CREATE, "Prepares a SELECT."), (_CLOSE, "Forgets a prepared statement.")]

    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        """Binds values to the parameters of a prepared statement."""
        _checked(lambda: self._bind(descriptor, reader))

    def _bind(self, descriptor: Any, reader: Any) -> None:
        name, message = unpack(descriptor.command)
        if name != "CommandPreparedStatementQuery":
            raise NotImplementedError("the server is read only: it takes values of parameters, and no rows")
        prepared = self._known(message.get("prepared_statement_handle", b""))
        given = reader.read_all()
        if given.num_rows != 1 or given.num_columns != prepared.parameters:
            raise ValueError(
                f"the statement has {prepared.parameters} parameters, and {given.num_rows} rows of {given.num_columns} "
                "values were given. Bind one row"
            )
        prepared.values = tuple(column[0].as_py() for column in given.columns)

    def _query(self, text: str) -> Query:
        return Query(self._tables, text, self._memory)

    def _catalog(self, name: str, message: Message) -> pa.Table:
        found = answer(self._tables, name, message)
        if found is None:
            raise NotImplementedError(f"the server does not answer {name} (it is read only)")
        return found

    def _known(self, handle: bytes) -> Prepared:
        found = self._prepared.get(handle)
        if found is None:
            raise ValueError("the prepared statement is closed, or the server has started again. Prepare it once more?")
        return found


def _checked(call: Callable[[], Any]) -> Any:
    """The result of a call; its errors as those of Flight: other errors would take their traceback to the client."""
    try:
        return call()
    except ConnectionError as error:
        raise flight.FlightUnavailableError(f"Atoll's server does not answer: {error}") from error
    except MemoryError as error:
        raise flight.FlightServerError(f"out of memory: {error}") from error
    except (ValueError, PermissionError, LookupError, NotImplementedError) as error:
        raise flight.FlightServerError(error.args[0] if isinstance(error, LookupError) else str(error)) from error


def _until_cancelled(context: Any, rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    while not context.is_cancelled():
        batch = _checked(lambda: next(rows, None))
        if batch is None:
            return
        yield batch
