# SPDX-License-Identifier: Apache-2.0
"""PEs inside the workers of a real Dask cluster on this machine."""

import subprocess
import sys

import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [needs_core, needs_launcher, pytest.mark.slow]
SCRIPT = f"""
import sys
sys.path.insert(0, {str(ROOT / "python")!r})
import atoll as ak
from distributed import Client, LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        for _ in range(2):
            with ak.init(dask=client) as session:
                x = ak.random.default_rng(7).normal(size=100_003)
                print(session.kind, session.pes, ak.arange(1000).sum(), x.sum())
        print(client.submit(sum, [1, 2]).result())
        try:
            ak.init(dask=client, hosts="localhost:2")
        except ValueError as error:
            print(error)
    x = ak.random.default_rng(7).normal(size=100_003)
    print(x.sum())
"""


def test_pes_run_beside_the_workers_of_a_cluster(tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *sessions, total, refusal, alone = done.stdout.splitlines()
    assert sessions == [f"driver 3 499500 {alone}"] * 2
    assert total == "3"
    assert refusal.startswith("comm, hosts, dask and ray exclude one another")
