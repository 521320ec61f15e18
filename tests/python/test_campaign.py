# SPDX-License-Identifier: Apache-2.0
"""Kills, stops and a soak test: campaign.py and soak.py, shortened here; `make test-slow` runs them fully."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from built import ROOT, needs_core, needs_launcher

pytestmark = [needs_core, needs_launcher]
HERE = Path(__file__).parent


def run(program, *words, within_s):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{HERE}"}
    done = subprocess.run(
        [sys.executable, HERE / program, *words],
        capture_output=True, text=True, timeout=within_s, env=environment, check=False,
    )  # fmt: skip
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_kill_and_a_stop_are_reported_and_leave_no_process():
    run("campaign.py", "--kills", "1", "--stops", "1", "--seed", "1", within_s=300)


@pytest.mark.slow
def test_kills_and_stops_are_reported_and_leave_no_process():
    """Numbers by CAMPAIGN_KILLS and CAMPAIGN_STOPS."""
    kills, stops = os.environ.get("CAMPAIGN_KILLS", "200"), os.environ.get("CAMPAIGN_STOPS", "50")
    run("campaign.py", "--kills", kills, "--stops", stops, "--jobs", "2", within_s=60 * (int(kills) + int(stops)))


def test_a_few_rounds_of_work_keep_no_descriptor():
    run("soak.py", "--seconds", "5", within_s=200)


@pytest.mark.slow
def test_long_work_keeps_memory_and_descriptors_flat():
    """An hour, or SOAK_SECONDS."""
    seconds = float(os.environ.get("SOAK_SECONDS", "3600"))
    run("soak.py", "--seconds", str(seconds), within_s=2 * seconds + 600)
