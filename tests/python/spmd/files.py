# SPDX-License-Identifier: Apache-2.0
"""Files written and read by a job whose PEs all run this script; the directory is its argument."""

import sys

import atoll as ak

here = sys.argv[1]
df = ak.DataFrame({"a": range(1000), "t": [f"x{i}" for i in range(1000)]})
df.to_parquet(f"{here}/a.parquet", row_group_size=100)
df.to_parquet(f"{here}/set", dataset=True)
df.to_csv(f"{here}/a.csv", index=False)
df.to_feather(f"{here}/a.feather")
ak.save_checkpoint(f"{here}/state", {"df": df})
read = [
    ak.read_parquet(f"{here}/a.parquet"), ak.read_parquet(f"{here}/set"), ak.read_csv(f"{here}/a.csv"),
    ak.read_feather(f"{here}/a.feather"), ak.load_checkpoint(f"{here}/state")["df"],
]  # fmt: skip
for frame in read:
    assert frame["a"].to_list() == list(range(1000)) and frame["t"].to_list()[-1] == "x999"
refused = 0
for fail in (
    lambda: ak.read_parquet(f"{here}/none"),
    lambda: df.to_csv(f"{here}/none/a.csv"),
    lambda: df.to_feather(f"{here}/none/a.feather"),
):
    try:
        fail()
    except FileNotFoundError:
        refused += 1
assert refused == 3
print("done", ak.pe(), flush=True)
