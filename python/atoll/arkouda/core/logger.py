# SPDX-License-Identifier: Apache-2.0
"""Loggers with Arkouda's levels."""

from __future__ import annotations

import os
from enum import Enum
from logging import CRITICAL, DEBUG, ERROR, INFO, WARNING, Formatter, Handler, Logger, StreamHandler
from typing import Any

__all__ = ["LogLevel", "disable_verbose", "enable_verbose", "write_log"]

_LEVELS = {"INFO": INFO, "DEBUG": DEBUG, "WARN": WARNING, "ERROR": ERROR, "CRITICAL": CRITICAL}
loggers: dict[str, ArkoudaLogger] = {}


class LogLevel(Enum):
    """The levels."""

    INFO = "INFO"
    DEBUG = "DEBUG"
    WARN = "WARN"
    CRITICAL = "CRITICAL"
    ERROR = "ERROR"


class ArkoudaLogger(Logger):
    """A logger that writes to the console, and to other handlers by their names."""

    DEFAULT_LOG_FORMAT = "[%(name)s] Line %(lineno)d %(levelname)s: %(message)s"
    CLIENT_LOG_FORMAT = "%(message)s"
    levelMappings = _LEVELS

    def __init__(
        self, name: str, log_level: LogLevel = LogLevel.INFO, handlers: list[Handler] | None = None,
        log_format: str | None = DEFAULT_LOG_FORMAT,
    ) -> None:  # fmt: skip
        Logger.__init__(self, name)
        self.setLevel(_LEVELS[LogLevel(log_level).value])
        if not handlers:
            handler: Handler = StreamHandler()
            handler.set_name("console-handler")
            handlers = [handler]
        for handler in handlers:
            handler.setLevel(self.level)
            handler.setFormatter(Formatter(log_format))
            self.addHandler(handler)

    def get_handler(self, name: str) -> Handler:
        """The handler of that name; ValueError if there is none."""
        for handler in self.handlers:
            if handler.name == name:
                return handler
        raise ValueError(f"the logger has no handler {name!r}")

    def change_log_level(self, level: LogLevel, handlerNames: list[str] | None = None) -> None:
        """Sets the level of the handlers with these names, or of all."""
        for handler in self.handlers:
            if handlerNames is None or handler.name in handlerNames:
                handler.setLevel(_LEVELS[level.value])

    def enable_verbose(self, handlerNames: list[str] | None = None) -> None:
        """Shows everything."""
        self.change_log_level(LogLevel.DEBUG, handlerNames)

    def disable_verbose(self, log_level: LogLevel = LogLevel.INFO, handlerNames: list[str] | None = None) -> None:
        """Shows what is of that level or above."""
        if not isinstance(log_level, LogLevel):
            raise TypeError(f"log_level must be a LogLevel; got {type(log_level).__name__} instead")
        self.change_log_level(log_level, handlerNames)


def get_arkouda_logger(
    name: str, handlers: list[Handler] | None = None, log_format: str | None = ArkoudaLogger.DEFAULT_LOG_FORMAT,
    log_level: Any = None,
) -> ArkoudaLogger:  # fmt: skip
    """A logger of that name, of a level that ARKOUDA_LOG_LEVEL says unless one is given."""
    level = LogLevel(log_level if log_level is not None else _default_level())
    logger = ArkoudaLogger(name=name, handlers=handlers, log_format=log_format, log_level=level)
    loggers[logger.name] = logger
    return logger


def _default_level() -> str:
    found = os.environ.get("ARKOUDA_LOG_LEVEL", "INFO")
    return found if found in _LEVELS else "INFO"


def get_arkouda_client_logger(
    name: str, handlers: list[Handler] | None = None, log_format: str | None = ArkoudaLogger.CLIENT_LOG_FORMAT,
    log_level: Any = None,
) -> ArkoudaLogger:  # fmt: skip
    """A logger for what people read."""
    return get_arkouda_logger(name, handlers, log_format, log_level)


def enable_verbose() -> None:
    """Makes all loggers show everything."""
    for logger in loggers.values():
        logger.enable_verbose()


def disable_verbose(log_level: LogLevel = LogLevel.INFO) -> None:
    """Makes all loggers show what is of that level or above."""
    for logger in loggers.values():
        logger.disable_verbose(log_level)


def write_log(log_msg: str, tag: str = "ClientGeneratedLog", log_lvl: LogLevel = LogLevel.INFO) -> None:
    """Writes a line to the log."""
    get_arkouda_client_logger(tag).log(_LEVELS[log_lvl.value], log_msg)
