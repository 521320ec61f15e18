# SPDX-License-Identifier: Apache-2.0
"""The forms of Arkouda's messages. None is sent: the session is embedded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..objects import Named, Word

__all__ = ["MessageFormat", "MessageType", "ReplyMessage", "RequestMessage", "parameter"]


class MessageFormat(Word):
    """How arguments are written."""

    STRING = "STRING"
    BINARY = "BINARY"


class MessageType(Word):
    """What an answer is."""

    NORMAL = "NORMAL"
    WARNING = "WARNING"
    ERROR = "ERROR"


@dataclass
class RequestMessage:
    """A request."""

    user: str
    cmd: str
    token: Any = None
    format: MessageFormat = MessageFormat.STRING
    args: Any = None
    size: int = -1

    def __repr__(self) -> str:
        return (
            f"RequestMessage(user={self.user!r}, token={self.token!r}, cmd={self.cmd!r}, format={self.format}, "
            f"args={self.args!r}, size={self.size})"
        )

    def asdict(self) -> dict[str, Any]:
        """As a dictionary of strings."""
        told = {"user": self.user, "token": self.token or "", "cmd": self.cmd, "format": str(self.format)}
        return told | {"args": self.args or "", "size": self.size}


@dataclass
class ReplyMessage:
    """An answer."""

    msg: str
    msgType: MessageType
    user: str

    @staticmethod
    def fromdict(values: dict[str, Any]) -> ReplyMessage:
        """Of a dictionary; ValueError if something is missing."""
        try:
            return ReplyMessage(values["msg"], MessageType(values["msgType"]), values["user"])
        except KeyError as error:
            raise ValueError(f"values dict missing {error} field") from error


def parameter(key: object, value: object) -> dict[str, str]:
    """One argument of a request: its name, its type, and its value as a string (an array's name in the session)."""
    if not isinstance(key, str):
        raise TypeError(f"the name of an argument is a str, not {type(key).__name__}")
    if isinstance(value, dict):
        parts = [json.dumps(parameter(one, value[one])) for one in value]
        return {"key": key, "dtype": "dict", "val": json.dumps(parts)}
    if isinstance(value, (list, tuple)):
        kinds = {_kind(one) if np.isscalar(one) else type(one).__name__ for one in value}
        kind = kinds.pop() if len(kinds) == 1 else "mixed"
        return {"key": key, "dtype": kind, "val": json.dumps([_written(one) for one in value])}
    return {"key": key, "dtype": _kind(value), "val": _written(value)}


# numpy.dtypes.resolve_scalar_dtype says the same of numbers; that package begins with this one.
def _kind(value: Any) -> str:
    if isinstance(value, (str, bool, np.bool_)):
        return "str" if isinstance(value, str) else "bool"
    if isinstance(value, (float, np.floating)):
        return "float64"
    if isinstance(value, (int, np.integer)):
        return "int64" if int(value) < 1 << 63 else "uint64"
    values = getattr(value, "values", value)
    return "str" if values.dtype.kind == "U" else str(values.dtype)


def _written(value: object) -> str:
    if np.isscalar(value):
        return str(value)
    if not isinstance(value, Named):
        raise TypeError(f"an argument is a number, a text, an array, or a list of them, not {type(value).__name__}")
    if hasattr(value, "segments") and hasattr(value, "values"):
        return json.dumps({"segments": value.segments.name, "values": value.values.name})
    return str(value.name)
