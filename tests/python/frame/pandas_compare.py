# SPDX-License-Identifier: Apache-2.0
"""Stands for `pandas._testing` where pandas' own tests run on `atoll.pandas`: its helpers get pandas' objects."""

import hashlib
import json
import os
import types

import pandas
import pandas._testing as helpers
from pandas._testing import *  # noqa: F403

from atoll.frame.fallback.convert import arguments_to_pandas, from_pandas
from atoll.io import fallback


class _Everything(set):
    """A set that has everything: no fallback is left to warn of, which tests of warnings would take for theirs."""

    def __contains__(self, name):
        return True


fallback._named = _Everything()


def _plain(value):
    ours = type(value).__module__.startswith("atoll") and hasattr(value, "to_pandas")
    return value.to_pandas() if ours else value


def _comparing(function):
    def compare(left, right, *args, **kwargs):
        return function(_plain(left), _plain(right), *args, **kwargs)

    return compare


def _converting(function):
    """A function of pandas' that takes and gives our objects."""

    def helper(*args, **kwargs):
        args = [getattr(one, "of_pandas", one) for one in args]
        held, named = arguments_to_pandas(args, kwargs)
        return from_pandas(function(*held, **named))

    helper.of_pandas = function
    return helper


for _name in dir(helpers):
    if _name.startswith("assert_") and _name not in ("assert_produces_warning", "assert_cow_warning"):
        globals()[_name] = _comparing(getattr(helpers, _name))
for _name in ("box_expected", "to_array", "get_dtype", "get_obj"):
    globals()[_name] = _converting(getattr(helpers, _name))


def __getattr__(name):
    return getattr(helpers, name)


# -- a plugin of pytest --


def pytest_collection_modifyitems(items):
    """Keeps every so many of the tests, by a hash of their names."""
    every = int(os.environ["PANDAS_SUITE_EVERY"])
    items[:] = [one for one in items if int(hashlib.md5(one.nodeid.encode()).hexdigest(), 16) % every == 0]


def pytest_collection_finish(session):
    """Lets functions that tests import from pandas' private modules take our objects."""
    inner = pandas.__path__[0] + "/core/"
    for module in {id(one.module): one.module for one in session.items if hasattr(one, "module")}.values():
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType) and value.__code__.co_filename.startswith(inner):
                setattr(module, name, _converting(value))


def pytest_runtest_logreport(report):
    """Writes the outcome of each test, and of a failure its first line."""
    if report.failed or report.when == "call":
        crash = getattr(report.longrepr, "reprcrash", None)
        lines = (crash.message if crash is not None else str(report.longrepr)).splitlines() if report.failed else []
        with open("outcomes", "a") as out:
            out.write(json.dumps([report.nodeid, report.outcome, lines[0] if lines else ""]) + "\n")
