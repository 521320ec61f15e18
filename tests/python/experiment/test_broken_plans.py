# SPDX-License-Identifier: Apache-2.0
"""Broken TOML files of `atoll experiment` and `atoll sim`: an error that names the file, and nothing else."""

import os
import random
import re
from pathlib import Path

import pytest

import atoll.sim
from atoll.experiment.plan import ExperimentError
from atoll.experiment.plan import read as plan
from atoll.sim import experiment, machine
from atoll.sim.source import SimError

PYTHON = Path(atoll.sim.__file__).parents[1]
REPOSITORY = Path(__file__).parents[3]
VALUES = (
    "null", "nan", "inf", "-1", "0", "1e999", '""', '"x"', "[]", "{}", "[[]]", "9223372036854775808",
    "-9223372036854775809", "1" * 5000, "true", "1979-05-27", "'''", "=", "[", "]", "[[run]]", "[run]",
    "\0", "\ufeff", "#",
    "a.b.c=1", '"1e18 ns"', '"1e400 GiB"', '"-5 ns"', "0x10", "[" * 2000,
)  # fmt: skip


def broken(text, seed):
    """The content of a file, cut, or with a value, a line, the beginning or a bit of it another."""
    rng, lines = random.Random(seed), text.splitlines()
    at, value, how = rng.randrange(len(lines)), rng.choice(VALUES), seed % 6
    if how == 0:
        return text[: rng.randrange(len(text))]
    if how == 1:
        lines[at] = re.sub(r"=.*", lambda _: f"= {value}", lines[at])
    elif how == 2:
        lines[at] = value
    elif how == 3:
        lines.insert(0, value)
    elif how == 4:
        lines = [value]
    else:
        place = rng.randrange(len(text))
        return text[:place] + chr(ord(text[place]) ^ 1 << rng.randrange(7)) + text[place + 1 :]
    return "\n".join(lines)


def tried(path, load, error, text):
    path.write_text(text)
    try:
        load(path)
    except error as found:
        return str(found)
    return None


FILES = {
    "plan": (sorted((REPOSITORY / "bench" / "experiments").glob("*.toml")), plan, ExperimentError),
    "machine": (sorted((PYTHON / "sim" / "machines").glob("*.toml")), machine.load, SimError),
    "experiment": (sorted((PYTHON / "sim" / "experiments").glob("*.toml")), experiment.load, SimError),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "rounds", [40, pytest.param(int(os.environ.get("FUZZ_ROUNDS", "500")), marks=pytest.mark.slow)]
)
def test_broken_toml(tmp_path, kind, rounds):
    files, load, error = FILES[kind]
    assert files
    seed = int(os.environ.get("FUZZ_SEED", "1" if rounds == 40 else random.randrange(1 << 32)))
    print(f"FUZZ_SEED={seed}")
    found = [
        tried(tmp_path / "a.toml", load, error, broken(files[one % len(files)].read_text(), one))
        for one in range(seed, seed + rounds)
    ]
    told = [text for text in found if text is not None]
    assert len(told) > rounds / 4
    assert not [text for text in told if "a.toml" not in text]


@pytest.mark.parametrize("value", ["[" * 2000, "1" * 5000])
def test_deep_lists_and_long_numbers(tmp_path, value):
    for _, load, error in FILES.values():
        assert "a.toml" in tried(tmp_path / "a.toml", load, error, f"a = {value}")
