# SPDX-License-Identifier: Apache-2.0
"""Arkouda's files of HDF5 and CSV, by all processes; all learn of a directory that is not there."""

import sys
from pathlib import Path

import atoll.arkouda as ak

there = Path(sys.argv[1])
hdf, csv = str(there / "h"), str(there / "c")
ak.to_hdf({"n": ak.arange(5), "t": ak.array(["a", "", "b"])}, hdf)
ak.to_csv({"n": ak.arange(3)}, csv)
ak.arange(2).update_hdf(hdf, dataset="n")
try:
    ak.to_csv({"n": ak.arange(3)}, str(there / "none" / "c"))
    told = "nothing"
except OSError as error:
    told = type(error).__name__
found = ak.load_all(hdf)
print(found["n"].tolist(), found["t"].tolist(), ak.load_all(csv)["n"].tolist(), told)
