# SPDX-License-Identifier: Apache-2.0
"""Bytes that groups and joins send between hosts, counted by the hosts' network cards."""

import json
import sys

import hosts as network
import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [
    needs_launcher, needs_core, pytest.mark.skipif(bool(network.missing()), reason=network.missing() or "-"),
]  # fmt: skip

ROWS = 400_000  # on each host
PROGRAM = f"""
import json
import numpy as np
import atoll as ak

ak.init()
rng = np.random.default_rng(ak.pe())


def sent():
    float(ak.arange(ak.pes()).sum())  # all have come here
    for line in open("/proc/self/net/dev"):
        if line.strip().startswith("eth0:"):
            return int(line.split(":")[1].split()[8])


def column(values):
    return ak.from_local(values)


def sends(action):
    action()  # rooms and connections are made the first time
    counts = []
    for _ in range(4):  # a busy machine makes the network send some of it again
        before = sent()
        action()
        counts.append(sent() - before)
    return min(counts)


values = column(rng.random({ROWS}))
few = column(rng.integers(0, 100, {ROWS}))
many = column(rng.permutation({ROWS}) * 2 + ak.pe())  # each once
tenth = column(rng.integers(0, 2 * {ROWS} // 10, {ROWS}))
right = column(rng.permutation({ROWS}) * 2 + ak.pe())


def total(keys):
    return lambda: ak.groupby(keys).sum(values)


def matched():
    assert ak.join(many, right).left.size == 2 * {ROWS}


found = {{name: sends(total(keys)) for name, keys in (("few", few), ("tenth", tenth), ("many", many))}}
print(json.dumps({{**found, "join": sends(matched)}}), flush=True)
"""


@pytest.fixture(scope="module")
def sent():
    """For each host what it sends for each operation."""
    with network.Hosts(2) as hosts:
        done = hosts.run(
            sys.executable, "-c", PROGRAM, slots=1, PYTHONPATH=str(ROOT / "python"), ATOLL_HEAP_SIZE="1G",
            ATOLL_THREADS="1",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def test_few_groups_send_their_partial_results_alone(sent):
    for host in sent:  # 100 groups of 40 bytes, and what agreeing takes; its rows have 6.4 MB
        assert host["few"] <= 32_000, sent


def test_many_groups_send_each_group_once(sent):
    # A host finishes half of the groups: of each of the others it sends what it knows, the key (8 bytes) and a state
    # (32), once, whether that is one row or ten.
    for host in sent:
        for name, groups in (("many", ROWS), ("tenth", 2 * ROWS // 10)):
            assert 0.9 <= host[name] / (groups / 2 * 40) <= 1.1, sent


def test_a_join_sends_each_row_once(sent):
    # Half of the left keys (8 bytes) and of right ones with rows (16) go to the other host, and what was found for
    # left ones comes back (8). Pairs are made where their left rows are. Headers and counts take a tenth more; rows
    # that went twice would be 1.75 times as much.
    for host in sent:
        assert 0.9 <= host["join"] / (ROWS / 2 * (8 + 16 + 8)) <= 1.2, sent
