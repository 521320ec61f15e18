# SPDX-License-Identifier: Apache-2.0
"""Warnings of pandas for calls that Atoll answers: of chained assignment, and of deprecated parameters."""

from __future__ import annotations

import inspect
import opcode
import sys
import warnings
from functools import cache
from typing import Any

from ...columns.datetime.ticks import Ticks
from ...io.fallback import outside
from ..classes import is_frame, is_series
from .convert import in_pandas
from .limits import columns_of

#: Methods that change what they are called on when told to.
_IN_PLACE = frozenset(("fillna", "replace", "ffill", "bfill", "interpolate", "clip", "where", "mask"))
#: Parameters that pandas deprecates where its default is `no_default`.
_DEPRECATED = ("copy", "inplace")


class _Probe:
    """An object that only an expression refers to, changed as a temporary frame is: it counts its references."""

    counted = 0

    def __setitem__(self, *args: object) -> None:
        _Probe.counted = sys.getrefcount(self)

    def change(self, *args: object, **kwargs: object) -> None:
        """Counts as the wrapper of a method does."""
        _Probe.counted = sys.getrefcount(self)


def _references_of_temporary(by_method: bool) -> int:
    if by_method:
        _Probe().change(inplace=True)
    else:
        _Probe()[0] = 1
    return _Probe.counted


#: References to an object that nothing but the running call holds, by the call that counts them.
OF_SETTING = _references_of_temporary(False)
OF_METHOD = _references_of_temporary(True)
#: Of the rows that only an indexer holds: its attribute, and the argument of the count.
OF_INDEXER = 2


def changes_in_place(name: str, kwargs: dict[str, Any]) -> bool:
    """Whether a call changes its object, so that changing a temporary one is a mistake."""
    return name == "update" or (name in _IN_PLACE and kwargs.get("inplace") is True)


def warn_of_chaining(of: object, references: int, of_temporary: int, name: str | None = None) -> None:
    """Warns where a change is made to an object that nothing refers to afterwards, as in ``df["a"][0] = 1``."""
    if references > of_temporary or not in_pandas() or not (is_frame(of) or is_series(of)) or _is_local(of):
        return
    if name == "__setitem__" and not _is_subscript():  # called by its name; of indexers pandas warns all the same
        return
    from pandas.errors import ChainedAssignmentError, cow

    message = cow._chained_assignment_msg
    if name not in (None, "__setitem__"):
        message = cow._chained_assignment_method_msg if name != "update" else cow._chained_assignment_method_update_msg
    warnings.warn(message, ChainedAssignmentError, stacklevel=outside())


def _is_subscript() -> bool:
    """Whether the calling function sets an item by brackets."""
    caller = sys._getframe(3)
    return opcode.opname[caller.f_code.co_code[caller.f_lasti]] in ("STORE_SUBSCR", "STORE_SLICE")


def _is_local(of: object) -> bool:
    """Whether the calling function has a variable for an object: from Python 3.14 on it need not add a reference."""
    caller = sys._getframe(3)
    return any(one is of for one in caller.f_locals.values())


def warn_of_deprecation(of: object, name: str, kwargs: dict[str, Any]) -> None:
    """Warns of parameters that pandas deprecates."""
    if not in_pandas():
        return
    for one in _DEPRECATED:
        if one in kwargs and _is_deprecated(type(of).__name__, name, one):
            from pandas.errors import Pandas4Warning

            warnings.warn(_text(of, name, one), Pandas4Warning, stacklevel=outside())


def warn_of_dates_in_json(of: Any, kwargs: dict[str, Any]) -> None:
    """Warns that the form of datetimes in JSON will change, where the call does not choose one."""
    if not in_pandas() or kwargs.get("date_format") is not None or kwargs.get("orient") == "table":
        return
    if any(isinstance(one, Ticks) for one in columns_of(of)):
        from pandas.errors import Pandas4Warning

        text = (
            "The default formatting of datetime/timedelta values will change "
            'from numbers ("epoch") to strings ("iso") in a future version. '
            'Specify `date_format="iso"` explicitly in the `to_json()` call '
            "to opt-in to the future behaviour and silence this warning."
        )
        warnings.warn(text, Pandas4Warning, stacklevel=outside())


def _text(of: object, name: str, parameter: str) -> str:
    if parameter == "copy":
        return (
            "The copy keyword is deprecated and will be removed in a future version. Copy-on-Write is active in pandas "
            "since 3.0 which utilizes a lazy copy mechanism that defers copies until necessary. Use .copy() to make an "
            "eager copy if necessary."
        )
    return (
        f"The inplace keyword in {type(of).__name__}.{name} is deprecated and will be removed in a future version "
        "(PDEP-8)."
    )


@cache
def _is_deprecated(kind: str, name: str, parameter: str) -> bool:
    import pandas as pd

    method = getattr(getattr(pd, kind, None), name, None)
    try:
        known = inspect.signature(method).parameters.get(parameter) if method is not None else None
    except (TypeError, ValueError):
        return False
    return known is not None and known.default is pd.api.extensions.no_default
