# SPDX-License-Identifier: Apache-2.0
"""PEs on the nodes of a real Ray cluster on this machine, and frames of Ray's and Dask's partitions."""

import subprocess
import sys

import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [needs_core, needs_launcher, pytest.mark.slow]
SCRIPT = f"""
import sys
sys.path.insert(0, {str(ROOT / "python")!r})
import atoll as ak
import pyarrow
import ray

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
for pes in (None, 2):
    with ak.init(pes, ray=True) as session:
        x = ak.random.default_rng(7).normal(size=100_003)
        print(session.kind, session.pes, ak.arange(1000).sum(), x.sum())
print(ray.get(ray.remote(lambda: 3).remote()))
try:
    ak.init(ray=True, hosts="localhost:2")
except ValueError as error:
    print(error)
blocks = [ray.put(pyarrow.table({{"id": range(at, at + 250)}})) for at in range(0, 1000, 250)]
frame = ak.DataFrame(pyarrow.concat_tables(ray.get(blocks)))
back = ray.put((frame * 2).to_arrow())
print(frame["id"].sum(), sum(ray.get(back)["id"].to_pylist()))
ray.shutdown()
x = ak.random.default_rng(7).normal(size=100_003)
print(x.sum())
"""


def test_pes_run_beside_the_workers_of_a_cluster(tmp_path):
    pytest.importorskip("ray")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, second, total, refusal, frames, alone = done.stdout.splitlines()
    assert first == f"driver 3 499500 {alone}"
    assert second == f"driver 2 499500 {alone}"
    assert total == "3"
    assert refusal.startswith("comm, hosts, dask and ray exclude one another")
    assert frames == "499500 999000"
