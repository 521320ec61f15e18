# SPDX-License-Identifier: Apache-2.0
"""`python -m atoll.pandas`: a script gets Atoll's pandas, a library pandas; frames pass from one to the other."""

import os
import subprocess
import sys
import textwrap

import pytest

import atoll.pandas as pd
from atoll.io.fallback import Ledger
from atoll.pandas import callers, profile

LIBRARY = """
import pandas
import pandas as pd

def kinds(value):
    known = isinstance(value, pd.DataFrame) and value._mgr is not None
    return pd.DataFrame.__module__, known, type(value.columns).__module__

def joined(value):
    return pandas.concat([value, value], ignore_index=True), pandas.DataFrame(value), value * 2, value["a"] + value["a"]

def change(value):
    value["new"] = value["a"] * 10
    value.columns = [name.upper() for name in value.columns]

def given(kind):
    return kind({"a": [1, 2]})

def own():
    return pandas.DataFrame({"a": [10, 20]}), pandas.Series([1, 2], name="s"), pandas.Index([1, 2])
"""
HELPER = """
from pandas import DataFrame
"""
SCRIPT = """
import sys
import importlib
import pandas as pd
import pandas.testing as testing
from pandas import Series
from pandas.api.types import is_numeric_dtype
import helper, library

df = pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]})
print(sys.argv[1:], type(df).__module__, helper.DataFrame is pd.DataFrame, importlib.import_module("pandas") is pd)
print(is_numeric_dtype(df.a), Series is pd.Series)
testing.assert_frame_equal(df, df.copy())
print(library.kinds(df))
for made in library.joined(df):
    print(type(made).__module__, made.shape)
library.change(df)
print(type(df).__module__, list(df.columns), df.NEW.to_list())
print(type(library.given(pd.DataFrame)).__module__)
frame, series, index = library.own()
known = isinstance(series, pd.Series), isinstance(index, pd.Index), isinstance(1, pd.Index)
print(isinstance(frame, pd.DataFrame), *known)
print(type(pd.concat([df, frame], axis=1)).__module__, (df[["A"]].rename(columns={"A": "a"}) + frame).a.to_list())
print(df.merge(frame, left_on="A", right_index=True).shape, type(pd.DataFrame(frame)).__module__)

print(df.A.sum())
pd.DataFrame({"a": [3, 1]}).to_latex()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "library.py").write_text(LIBRARY)
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    return tmp_path


def ran(folder, *args):
    env = {**os.environ, "PYTHONPATH": str(folder / "site-packages"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "atoll.pandas", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder, timeout=120, check=False)


def test_script_gets_atoll_and_library_gets_pandas(folder):
    done = ran(folder, "--profile", folder / "script.py", "one", "--two")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "['one', '--two'] atoll.frame.dataframe True True",
        "True True",
        "('pandas', True, 'pandas')",
        "pandas (4, 2)",
        "pandas (2, 2)",
        "pandas (2, 2)",
        "pandas (2,)",
        "atoll.frame.dataframe ['A', 'B', 'NEW'] [10, 20]",
        "atoll.frame.dataframe",
        "True True True False",
        "atoll.frame.dataframe [11, 22]",
        "(1, 4) atoll.frame.dataframe",
        "3",
    ]
    table = [line.split() for line in done.stderr.splitlines() if line]
    header = table.index(["done", "by", "pandas", "calls", "seconds"])
    counts = {" ".join(row[:-2]): int(row[-2]) for row in table[header + 1 :]}
    assert counts["DataFrame.to_latex"] == 1 and counts["DataFrame given to library"] >= 1
    assert counts["total"] == sum(count for name, count in counts.items() if name != "total")


def test_modules_run_and_missing_scripts_are_named(folder):
    (folder / "helper.py").write_text("import pandas, sys\nprint(pandas.__name__, sys.argv[1:])\n")
    assert ran(folder, "-m", "helper", "x").stdout == "atoll.pandas ['x']\n"
    done = ran(folder, "nothing.py")
    assert done.returncode == 2 and "cannot run nothing.py (no such file)" in done.stderr


def test_notebooks_load_the_extension():
    program = """
        import pandas as pd, atoll.pandas
        class Shell: user_ns = {"pd": pd, "x": 1}
        atoll.pandas.load_ipython_extension(Shell)
        import pandas
        print(pandas is atoll.pandas, Shell.user_ns["pd"] is atoll.pandas)
        atoll.pandas.unload_ipython_extension(Shell)
        import pandas
        print(pandas is pd, pandas.DataFrame(atoll.pandas.DataFrame({"a": [1]}).to_pandas()).shape)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.splitlines() == ["True True", "True (1, 1)"], done.stderr


def test_kinds_of_code_by_file():
    import json

    import numpy as np
    import pandas

    assert callers.kind_of_file(pandas.__file__) is callers.Caller.LIBRARY
    assert callers.kind_of_file(pd.__file__) is callers.Caller.OWN
    assert callers.kind_of_file(np.__file__) is callers.kind_of_file(json.__file__) is callers.Caller.NEUTRAL
    assert callers.kind_of_file(__file__) is callers.kind_of_file("<stdin>") is callers.Caller.USER


def test_table_of_what_pandas_did(monkeypatch):
    ledger = Ledger()
    monkeypatch.setattr(profile, "LEDGER", ledger)
    assert profile.table() == "pandas did nothing: every call was Atoll's.\n"
    ledger.add("DataFrame.to_latex", 0.25)
    ledger.add("read_csv", 1.5)
    ledger.add("DataFrame.to_latex", 0.25)
    assert profile.table().splitlines() == [
        "done by pandas      calls  seconds",
        "read_csv                1    1.500",
        "DataFrame.to_latex      2    0.500",
        "total                   3    2.000",
    ]


def test_frames_of_pandas_are_frames_for_a_script_and_arguments_of_methods():
    import pandas

    theirs = pandas.DataFrame({"a": [1, 2]})
    assert isinstance(theirs, pd.DataFrame) and isinstance(theirs.a, pd.Series) and isinstance(theirs.index, pd.Index)
    assert not isinstance(theirs, pd.Series) and not isinstance([1], pd.DataFrame)
    ours = pd.DataFrame({"a": [1, 2]})
    assert (ours + theirs).a.to_list() == [2, 4] and type(ours + theirs) is pd.DataFrame
    assert ours.merge(theirs, on="a").shape == (2, 1) and ours.a.isin(theirs.a).all()
    assert pd.concat([ours, theirs]).a.to_list() == [1, 2, 1, 2]
