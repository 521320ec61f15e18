# SPDX-License-Identifier: Apache-2.0
"""The forms of Arkouda's messages. None is sent: the session is embedded."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..objects import Word

__all__ = ["MessageFormat", "MessageType", "ReplyMessage", "RequestMessage"]


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
    token: Any = ""
    format: MessageFormat = MessageFormat.STRING
    args: Any = ""
    size: int = -1

    def __post_init__(self) -> None:
        self.token, self.args = self.token or "", self.args or ""

    def asdict(self) -> dict[str, Any]:
        """As a dictionary of texts."""
        return asdict(self) | {"format": str(self.format), "token": self.token or "", "args": self.args or ""}


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
