# SPDX-License-Identifier: Apache-2.0
"""Which parameters a function names and does not read: a call that gives them another value is pandas' to answer."""

from __future__ import annotations

import dis
import inspect
import itertools
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

#: Of these nothing depends on the value: copies are made on write, there is one engine, and every sort is stable.
WITHOUT_EFFECT = frozenset(("copy", "engine", "engine_kwargs", "kind"))


class Parameters(NamedTuple):
    """The parameters of a function that matter for what it ignores."""

    names: tuple[str, ...]
    unread: frozenset[str]
    extra: frozenset[str] | None  # keywords that **options is asked for; None: all of them go further
    swallows: bool  # *args that are not read


@cache
def parameters_of(function: Callable[..., Any]) -> Parameters:
    """How a plain Python function uses its parameters, from its byte code."""
    function = inspect.unwrap(function)
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    named = code.co_varnames[:count]
    rest = list(code.co_varnames[count:])
    args = rest.pop(0) if code.co_flags & inspect.CO_VARARGS else None
    options = rest.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else None
    read = {
        one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE")
    }
    unread = frozenset(name for name in named[1:] if name not in read and name not in WITHOUT_EFFECT)
    if options is None:
        extra: frozenset[str] | None = frozenset()
    elif options in code.co_cellvars or not _asked_by_name(code, options):
        extra = None
    else:
        extra = frozenset(one for one in code.co_consts if isinstance(one, str)) if options in read else frozenset()
    return Parameters(named, unread, extra, args is not None and args not in read)


def _asked_by_name(code: Any, options: str) -> bool:
    """Whether **options is only asked for single keywords."""
    steps = list(dis.get_instructions(code))
    return not any(
        one.opname == "LOAD_FAST"
        and one.argval == options
        and (following.opname not in ("LOAD_METHOD", "LOAD_ATTR") or following.argval not in ("get", "pop"))
        for one, following in itertools.pairwise(steps)
    )


def ignored(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> set[str]:
    """The parameters of a call that the function would ignore."""
    known = parameters_of(function)
    given = {*known.names[1 : 1 + len(args)], *kwargs}
    found = set(known.unread & given)
    if known.extra is not None:
        found |= {name for name in kwargs if name not in known.names and name not in known.extra}
    if known.swallows and len(args) > len(known.names) - 1:
        found.add("*")
    return found - WITHOUT_EFFECT
