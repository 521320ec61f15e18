# SPDX-License-Identifier: Apache-2.0
"""Which arguments of bins, ranges and conversions Atoll answers exactly as pandas does: see limits.py."""

from __future__ import annotations

import re
from typing import Any

from ...arrays.ndarray import ndarray
from ...columns.datetime.ticks import Ticks
from ...columns.text.strings import Strings
from ..classes import is_frame, is_series
from ..index.base import IndexCore


def cut(x: Any, bins: object, *args: object, **kwargs: object) -> bool:
    values = x._values if is_series(x) or isinstance(x, IndexCore) else x
    return (
        isinstance(values, ndarray)
        and x.dtype.kind in "iuf"
        and _has_usual_bins(bins)
        and (
            not args
            and set(kwargs) <= {"right", "labels", "include_lowest", "precision", "retbins", "duplicates"}
            and _has_usual_labels(kwargs.get("labels"))
        )
    )


def _has_usual_bins(bins: object) -> bool:
    return (isinstance(bins, int) and not isinstance(bins, bool) and bins > 0) or (
        isinstance(bins, list) and len(bins) > 1 and all(isinstance(one, (int, float)) for one in bins)
    )


def _has_usual_labels(labels: object) -> bool:
    return (
        labels is None or labels is False or (isinstance(labels, list) and all(isinstance(one, str) for one in labels))
    )


def qcut(x: Any, q: object, labels: object = None, *args: Any, **kwargs: Any) -> bool:
    shares = isinstance(q, list) and len(q) > 1 and all(isinstance(one, (int, float)) for one in q)
    kinds = "iuf" if labels is False or shares else "f"
    if not is_series(x) or not isinstance(x._values, ndarray) or x.dtype.kind not in kinds or args or kwargs:
        return False
    count = isinstance(q, int) and not isinstance(q, bool) and q > 1
    return (count or shares) and _has_usual_labels(labels)


def to_datetime(arg: Any, errors: Any = "raise", **options: object) -> bool:
    if options.get("format") in ("mixed", "ISO8601"):
        return is_series(arg) and isinstance(arg._values, Strings)
    if re.search("%[GVu]", str(options.get("format"))):  # pandas refuses weeks of ISO 8601 without their year
        return False
    if is_frame(arg) or isinstance(arg, dict) or not set(options) <= {"format", "utc"}:
        return False
    if isinstance(arg, (str, list)):
        return isinstance(arg, str) or all(isinstance(one, str) for one in arg)
    if not (is_series(arg) or isinstance(arg, IndexCore)):
        return True
    values = arg._values
    whole = isinstance(values, ndarray) and values.dtype.kind in "iu" and options.get("format") is not None
    return whole or isinstance(values, (Strings, Ticks))


def to_timedelta(arg: Any, unit: str | None = None, errors: Any = "raise") -> bool:
    return unit is None and (isinstance(arg, str) or (is_series(arg) and isinstance(arg._values, Strings)))


def to_numeric(arg: Any, errors: Any = "raise", downcast: Any = None, **options: Any) -> bool:
    return not options and is_series(arg) and isinstance(arg._values, (ndarray, Strings))


def timedelta_range(*args: object, **options: object) -> bool:
    return all(one is None or isinstance(one, (str, int)) for one in (*args, *options.values()))


def interval_range(*args: object, **options: object) -> bool:
    numbers = [*args[:4], *(options.get(name) for name in ("start", "end", "periods", "freq"))]
    return all(one is None or type(one) is int for one in numbers)
