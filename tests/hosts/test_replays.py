# SPDX-License-Identifier: Apache-2.0
"""A job between hosts goes on, with right results, while a third host sends its recorded and changed streams again."""

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher
from intruder import Recorder

pytestmark = [
    pytest.mark.slow, needs_core, needs_launcher,
    pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
]  # fmt: skip

INTRUDER = Path(__file__).with_name("intruder.py")
ATTEMPTS = int(os.environ.get("REPLAYS", "200"))
# Works until both PEs have seen that a file exists.
PROGRAM = """
import os, sys
import numpy as np
import atoll as ak
ak.init()
rounds, ended = 0, False
while not ended:
    x = (ak.arange(200_000) * 7919 + rounds) % 200_000
    assert int(x.sum()) == 200_000 * 199_999 // 2
    assert bool((ak.sort(x) == ak.arange(200_000)).all())
    rounds += 1
    if ak.pe() == 0 and rounds == 3:
        print("ready", flush=True)
    ended = int(ak.from_local(np.array([os.path.exists(sys.argv[1])])).sum()) == ak.pes()
print("rounds", rounds, flush=True)
"""


@pytest.mark.parametrize("security", ["auth", "encrypt"])
def test_replayed_and_forged_streams_do_no_harm(tmp_path, security):
    seed, stop = random.randrange(1 << 32), tmp_path / "stop"
    print(f"seed {seed}")
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT / "python"), "ATOLL_NETWORK_SECURITY": security, "ATOLL_THREADS": "1",
        "ATOLL_HEAP_SIZE": "1G", "ATOLL_FABRIC_PROVIDER": "tcp",
    }  # fmt: skip
    with network.Hosts(3) as hosts, Recorder(hosts.cable(0)) as recorder:
        members = ["--hosts", ",".join(f"{name}:1" for name in hosts.names[:2]), *hosts.options()[2:]]
        command = [network.LAUNCHER, *members, sys.executable, "-c", PROGRAM, stop]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as job:
            watchdog = threading.Timer(1200, job.kill)
            watchdog.start()
            try:
                assert job.stdout.readline() == "ready\n", job.stderr.read()
                streams = recorder.streams()
                between = [one for one in streams if one[2].startswith(b"ATOLLPCT")]
                assert between, "no connection of the two PEs was recorded"
                recorded = tmp_path / "streams"
                recorded.write_text(json.dumps([(address, port, data.hex()) for address, port, data in streams]))
                for number, attempts in ((2, ATTEMPTS), (1, ATTEMPTS // 4)):  # the last one has the address of a member
                    ran = hosts.on(number, sys.executable, INTRUDER, recorded, seed + number, attempts, timeout=900)
                    assert ran.returncode == 0, ran.stderr
                    assert int(ran.stdout) > 0
                    assert job.poll() is None, job.communicate()
                stop.touch()
                output, errors = job.communicate(timeout=300)
            finally:
                watchdog.cancel()
                if job.poll() is None:
                    job.kill()
    assert job.returncode == 0, errors
    rounds = [line for line in output.splitlines() if line.startswith("rounds")]
    assert len(rounds) == 2, output
    assert rounds[0] == rounds[1]
    assert "Traceback" not in errors
    assert errors.count("atoll-run: refused a connection") > 0, errors
    assert errors.count("warning: PE 0 refused a connection") > 0, errors
