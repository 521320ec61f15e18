# SPDX-License-Identifier: Apache-2.0
"""Names of the package that are loaded at first use, so that importing the package is fast."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .columns.functions.functions import concatenate

#: Names that `atoll` exports, and their modules.
LAZY = dict.fromkeys(
    (
        "CategoricalIndex", "DataFrame", "DatetimeIndex", "Index", "Interval", "IntervalIndex", "MultiIndex", "Period",
        "PeriodIndex", "RangeIndex", "Series", "TimedeltaIndex", "crosstab", "cut", "get_dummies", "interval_range",
        "melt", "merge", "merge_asof", "period_range", "pivot", "pivot_table", "qcut",
    ),
    "atoll.frame",
)  # fmt: skip
LAZY |= dict.fromkeys(("load_checkpoint", "save_checkpoint"), "atoll.frame.files.checkpoint")
LAZY |= dict.fromkeys(("recover", "steps"), "atoll.frame.steps")
LAZY["to_zarr"] = "atoll.io.zarr"
LAZY["dashboard"] = "atoll.serve.dashboard.start"
LAZY["aio"] = "atoll.serve.aio"
LAZY["connect"] = "atoll.serve.client.connect"
LAZY |= dict.fromkeys(("attach", "publish", "published", "unpublish"), "atoll.serve.client.names")
LAZY |= dict.fromkeys(("collect_all", "scan_csv", "scan_parquet"), "atoll.plan.scan")
LAZY |= dict.fromkeys(
    (
        "read_csv", "read_feather", "read_hdf", "read_json", "read_orc", "read_parquet", "read_sql", "read_table",
        "read_zarr",
    ),
    "atoll.frame.files.readers",
)  # fmt: skip
for _module, _names in {
    "numeric.addresses": ("Addresses", "IPv4", "IPv6", "Uuids", "ip_address", "uuids"),
    "numeric.bigints": ("BigInts", "bigint", "bigint_from_uint_arrays"),
    "text.binary": ("Binary", "binary"),
    "datetime.bins": ("TimeBins", "time_bins"),
    "datetime.numpy_functions": ("datetime_as_string", "datetime_data", "isnat"),
    "datetime.business": ("busday_count", "busday_offset", "busdaycalendar", "is_busday"),
    "datetime.datetimes": ("Datetimes",),
    "datetime.offsets": ("DateOffset",),
    "datetime.ranges": ("bdate_range", "date_range", "timedelta_range"),
    "datetime.parsing": ("strptime", "to_datetime", "to_timedelta"),
    "datetime.timedeltas": ("Timedeltas", "Times"),
    "numeric.decimals": ("Decimals", "decimals"),
    "nested.lists": ("Lists", "SegArray", "lists"),
}.items():
    LAZY |= dict.fromkeys(_names, f"atoll.columns.{_module}")


#: What programs look for, not people.
HIDDEN = {"load_ipython_extension": "atoll.jupyter.extension"}


def load(name: str) -> Any:
    """Loads the object of an exported name."""
    module = LAZY.get(name) or HIDDEN.get(name)
    if module is None:
        raise AttributeError(f"module 'atoll' has no attribute {name!r}")
    return getattr(import_module(module), name)


def concat(objs: Any, axis: Any = 0, **options: Any) -> Any:
    """Concatenates arrays, columns, or data frames and Series.

    For arrays and columns it is `concatenate`. For frames it takes pandas' arguments: ``axis``, ``join``,
    ``ignore_index``, ``keys``, ``names``, ``verify_integrity``, ``sort``.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.concat([ak.arange(2), ak.arange(3)])
    array([0, 1, 0, 1, 2])
    >>> ak.concat([ak.Series([1]), ak.Series([2])], ignore_index=True).to_list()
    [1, 2]
    """
    if not isinstance(objs, Mapping):
        objs = objs if isinstance(objs, (list, tuple)) or hasattr(objs, "shape") else list(objs)
        if hasattr(objs, "shape") or not any(hasattr(one, "_index") for one in objs):
            return concatenate(objs, axis, **options)
    return import_module("atoll.frame").concat(objs, axis=axis, **options)


def exported() -> list[str]:
    """All names of the package, also those not yet loaded, for tab completion."""
    return sorted({*vars(import_module("atoll")), *LAZY})
