# SPDX-License-Identifier: Apache-2.0
"""No parameter is accepted and ignored: what a method does not read is noticed at the call, and pandas answers it."""

import inspect
import io
from types import FunctionType

import pytest

import atoll.pandas as pd
from atoll.frame.accessors import Categories, Parts, Texts
from atoll.frame.classes import CLASSES
from atoll.frame.fallback.classes import FUNCTIONS
from atoll.frame.fallback.parameters import WITHOUT_EFFECT, ignored, parameters_of
from atoll.frame.files import readers
from atoll.frame.groupby.groupby import WindowedByGroup
from atoll.frame.groupby.resample import Resampler
from atoll.frame.window.windows import Windowed
from atoll.io import fallback

_CLASSES = {
    **{
        name: CLASSES[name]
        for name in (
            "DataFrame", "Series", "SeriesGroupBy", "DataFrameGroupBy", "Index", "MultiIndex", "RangeIndex",
            "CategoricalIndex", "DatetimeIndex", "TimedeltaIndex", "PeriodIndex", "IntervalIndex",
        )
    },
    "Rolling": Windowed, "RollingGroupby": WindowedByGroup, "Resampler": Resampler,
    "str": Texts, "dt": Parts, "cat": Categories,
}  # fmt: skip
#: Ways out of the package, and what has no rows: pandas has nothing to answer here.
_OURS = frozenset(("to_pandas", "to_arrow", "to_polars", "pipe"))


def methods(kind):
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        if not name.startswith("_") and isinstance(found, FunctionType) and name not in _OURS:
            yield name, found


def unread(function):
    """The parameters that a function names and does not read, and a keyword of its own that no code asks for."""
    known = parameters_of(function)
    return set(known.unread) | ({"*"} if known.swallows else set())


@pytest.mark.parametrize("kind", _CLASSES)
def test_what_a_method_does_not_read_pandas_answers(kind):
    lost = {
        f"{kind}.{name}": sorted(unread(found))
        for name, found in methods(_CLASSES[kind])
        if unread(found) and not getattr(found, "falls_back", False)
    }
    assert not lost, f"parameters without effect, of methods that pandas does not answer: {lost}"


def test_what_a_function_does_not_read_pandas_answers():
    walked = [getattr(pd, name) for name in FUNCTIONS]
    assert len(walked) > 20
    assert not [one.__name__ for one in walked if unread(one) and not getattr(one, "falls_back", False)]


#: Of these only speed depends on the value, or they are refused: pandas' values beside what Arrow reads anyway.
_OF_SPEED = frozenset(("use_threads", "cache_dates", "float_precision", "low_memory", "memory_map"))


def test_functions_of_the_package_read_what_they_name():
    """All public functions, the readers of files among them; one that asks for `locals()` reads all."""
    found = {name: one for module in (pd, readers) for name, one in vars(module).items() if inspect.isfunction(one)}
    own = {
        name: inspect.unwrap(one)
        for name, one in found.items()
        if one.__module__.startswith("atoll.") and not name.startswith("_") and not getattr(one, "falls_back", False)
    }
    assert {"read_csv", "read_parquet", "read_json"} <= own.keys()
    lost = {name: unread(one) - _OF_SPEED for name, one in own.items() if "locals" not in one.__code__.co_names}
    assert not {name: sorted(names) for name, names in lost.items() if names}


def test_a_parameter_that_is_not_read_is_found():
    def method(self, used, unused=None, copy=None, **options):
        return used, options.get("known")

    assert unread(method) == {"unused"} and "copy" in WITHOUT_EFFECT
    assert ignored(method, (1, 2), {"known": 1, "other": 2}) == {"unused", "other"}
    assert ignored(method, (1,), {"copy": True}) == set()


def test_json_of_another_backend_is_read_by_pandas():
    with pytest.warns(fallback.FallbackWarning):
        made = readers.read_json(io.StringIO('{"a": 1}\n{"a": null}\n'), lines=True, dtype_backend="numpy_nullable")
    assert str(made.a.dtype) == "Int64"
