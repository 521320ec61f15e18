# SPDX-License-Identifier: Apache-2.0
"""The parameters of pandas' readers and writers that ours lack are those that docs/coming-from-pandas.md lists."""

import inspect
import re
from pathlib import Path

import pandas as pd

import atoll as ak
import atoll.pandas as apd
from atoll.frame.files import readers as frames

DOCUMENT = Path(__file__).parents[3] / "docs" / "coming-from-pandas.md"
#: Functions whose other options go to pandas, or to `read_csv`.
PASS_ON = {"read_table", "to_json", "to_string", "to_html", "to_markdown"}
#: Of a Series they are those of its frame.
OF_FRAMES = {"to_csv", "to_hdf", "to_sql"}
#: What is taken and has no effect.
IDLE = {("read_parquet", "dtype_backend"), ("read_parquet", "filesystem")}


def own_methods(kind):
    return {name: one for base in reversed(kind.__mro__) for name, one in vars(base).items() if name.startswith("to_")}


def lacking(name, theirs, ours):
    if name in PASS_ON:
        return set()
    known = inspect.signature(ours).parameters
    named = {one for one in inspect.signature(theirs).parameters if one not in ("self", "kwargs")}
    return {one for one in named if one not in known and (name, one) not in IDLE}


def test_what_is_not_taken_is_listed():
    found, absent = {}, set()
    for name in (name for name in dir(pd) if name.startswith("read_")):
        if hasattr(frames, name):
            found[name] = lacking(name, getattr(pd, name), getattr(frames, name))
        else:
            absent.add(name)
    for kind in ("DataFrame", "Series"):
        ours = own_methods(getattr(ak, kind))
        for name in (name for name in dir(getattr(pd, kind)) if name.startswith("to_")):
            if name not in ours:
                absent.add(name)
            elif not (kind == "Series" and name in OF_FRAMES):
                found[f"{kind}.{name}"] = lacking(name, getattr(getattr(pd, kind), name), ours[name])
    absent -= {name.partition(".")[2] for name in found}
    told, told_absent = {}, set()
    table = DOCUMENT.read_text().split("| function | not taken | why |")[1].split("\n\n")[0]
    for row in table.splitlines()[2:]:
        names, parameters, why = (cell.strip() for cell in row.strip("|").split("|"))
        assert why
        if parameters:
            (name,) = re.findall(r"`(.+?)`", names)
            told[name] = set(re.findall(r"`(.+?)`", parameters))
        else:
            told_absent |= set(re.findall(r"`(.+?)`", names))
    assert {name: lost for name, lost in found.items() if lost} == told
    assert absent == told_absent
    frame = ak.DataFrame({"a": [1]})
    for name in absent:
        assert hasattr(apd, name) if name.startswith("read_") else callable(getattr(frame, name)), name
