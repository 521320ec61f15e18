# SPDX-License-Identifier: Apache-2.0
"""Every key of experiment and machine files with invalid values: an immediate error with its position, or accepted."""

import json

import pytest

sim = pytest.importorskip("atoll.sim")
from atoll import _core
from atoll.cli import main
from atoll.sim import experiment, machine
from atoll.sim.experiment import PLOT, RUN
from atoll.sim.point import Point
from atoll.sim.source import SimError

START = 'machine = "study"\n'
ONE = '[[run]]\ncollective = "allreduce"\nelement = "8 B"\nbytes = "8 B"\nnodes = 4\n'

#: as TOML writes them
VALUES = {
    "negative": "-1", "zero": "0", "large": "99999999999", "beyond 32 bits": "4294967297",
    "the most of 64 bits": "9223372036854775807", "beyond 64 bits": "18446744073709551617",
    "thousands of digits": "0x" + "f" * 5000, "float": "1.5", "nan": "nan", "infinity": "inf", "true": "true",
    "text": '"moon"', "empty text": '""', "zero byte": '"a\\u0000b"', "long text": '"' + "x" * 10_000 + '"',
    "unit alone": '"ns"', "wrong unit": '"5 parsec"', "negative time": '"-5 ns"', "long time": '"1e18 ns"',
    "endless exponent": '"1e999999999 s"', "fewest bytes": '"1e-999999999 B"', "many bytes": '"1e30 GiB"',
    "low rate": '"1e-30 /s"', "high frequency": '"1e30 MHz"', "low frequency": '"1e-30 Hz"', "slow": '"1e-9 kB/s"',
    "list": "[]", "list of lists": "[[[1]]]", "mixed list": '[1, "a", 2.5]', "table": "{ a = 1 }",
    "date": "2026-01-01", "huge power": '"1e300 kW"', "huge energy": '"1e300 uJ"', "long noise": '"1e30 s at 1 Hz"',
    "all of the time": '"1 us at 1 MHz"',
}  # fmt: skip

KEYS = [
    *RUN, "machine", "noise", *(f"{table}.{key}" for table, keys in machine.TABLES.items() for key in keys), "unknown",
]  # fmt: skip


def read(folder, text):
    (folder / "f.toml").write_text(text)
    return experiment.load(folder / "f.toml")


def is_refused_with_its_place(folder, text, key):
    """True, or False when it is accepted; an assertion for any other end."""
    try:
        read(folder, text)
    except SimError as error:
        said = str(error)
        assert said.startswith(f"{folder / 'f.toml'}:"), (key, said)
        assert len(said) < 1500, (key, said)
        return True
    return False


def without(text, key):
    return "".join(line + "\n" for line in text.splitlines() if not line.startswith(f"{key} ="))


@pytest.mark.parametrize("key", KEYS)
def test_wrong_values_of_runs_are_refused_with_their_place(tmp_path, key):
    for name, value in VALUES.items():
        is_refused = is_refused_with_its_place(tmp_path, START + without(ONE, key) + f"{key} = {value}\n", (key, name))
        if name in ("negative", "nan", "zero byte", "long time", "beyond 64 bits", "list", "date", "endless exponent"):
            assert is_refused, (key, name)


@pytest.mark.parametrize("key", [f"{table}.{key}" for table, keys in machine.TABLES.items() for key in keys])
def test_wrong_values_of_machines_are_refused_with_their_place(tmp_path, key):
    for name, value in VALUES.items():
        text = f'[machine]\npreset = "study"\n{key} = {value}\n{ONE}'
        is_refused = is_refused_with_its_place(tmp_path, text, (key, name))
        if name in ("negative", "nan", "long time", "beyond 64 bits", "table"):
            assert is_refused, (key, name)


@pytest.mark.parametrize("where", ["head", "plot", "published", "machine"])
def test_wrong_values_elsewhere_are_refused_with_their_place(tmp_path, where):
    good = {"label": '"l"', "x": "[1]", "y": "[1]", "source": '"s"'}
    for name, value in VALUES.items():
        for key in (
            (*PLOT, "unknown") if where == "plot" else (*good, "panel", "line") if where == "published" else [""]
        ):
            text = START + ONE
            if where == "head":
                for head in ("title", "about", "machine", "run", "plot", "published"):
                    rest = "" if head == "run" else ONE
                    is_refused_with_its_place(
                        tmp_path, f"{head} = {value}\n{'' if head == 'machine' else START}{rest}", name
                    )
            elif where == "machine":
                for inner in ("preset", "file"):
                    is_refused_with_its_place(tmp_path, f"[machine]\n{inner} = {value}\n{ONE}", (inner, name))
            elif where == "plot":
                is_refused_with_its_place(tmp_path, text + f"[plot]\n{key} = {value}\n", (key, name))
            else:
                rows = "".join(f"{k} = {v}\n" for k, v in {**good, key: value}.items())
                is_refused_with_its_place(tmp_path, text + "[[published]]\n" + rows, (key, name))


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        ("nodes = 9223372036854775807", "6: run[1].nodes", "9223372036854775807 is not accepted. Write a whole number"),
        ("nodes = 99999999999", "6: run[1].nodes", "99999999999 is not accepted"),
        ("pes_per_node = 4294967297", "7: run[1].pes_per_node", "4294967297 is not accepted"),
        ("repeats = 4294967297", "7: run[1].repeats", "4294967297 is not accepted. Write a whole number from 1 to"),
        ("seed = 18446744073709551616", "7: run[1].seed", "18446744073709551616 is not accepted"),
        ('compute = "1e18 ns"', "7: run[1].compute", "'1e18 ns' is not accepted. Write a time of at most 1000 s"),
        ('network.latency = "1e18 ns"', "7: run[1].network.latency", "'1e18 ns' is not accepted"),
        ("network.torus = [4294967296, 4294967296, 4]", "7: run[1].network.torus", "is not accepted"),
        ('compute = "1000 s"\nrepeats = 1000000', "8: run[1].repeats", "longer than the 53 days that can be simulated"),
        ("seed = [1, 2]\nrepeats = [" + "1, " * 6000 + "]", "2: run[1]", "12,000 simulations (a file has at most"),
        ("host = 5", "7: run[1].host", "it is a table: host.overhead = …"),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_named_before_anything_runs(tmp_path, capsys, change, place, says):
    text = START + without(ONE, change.split(" =")[0]) + change + "\n"
    (tmp_path / "f.toml").write_text(text)
    assert main(["sim", "run", "--check", str(tmp_path / "f.toml")]) == 1
    said = capsys.readouterr().err
    assert f"f.toml:{place}: " in said
    assert says in said


def test_fifty_million_combinations_are_refused_at_once(tmp_path):
    lists = "".join(f"{key} = {json.dumps(list(range(1, 371)))}\n" for key in ("seed", "repeats", "items"))
    with pytest.raises(SimError, match="50,653,000 simulations"):
        read(tmp_path, START + ONE + lists)


def test_schedules_beyond_their_memory_are_named_by_check_and_by_run(tmp_path, capsys):
    text = (
        START
        + '[[run]]\ncollective = "alltoall"\nalgorithm = "hierarchical"\nbytes = "8 B"\nnodes = 64\nmemory = "30 KiB"\n'
    )
    (tmp_path / "f.toml").write_text(text)
    for words in (["--check"], ["--out", str(tmp_path)]):
        assert main(["sim", "run", *words, str(tmp_path / "f.toml")]) == 1
        assert "f.toml:7: run[1].memory: the schedules of 64 PEs take more than 14 KiB" in capsys.readouterr().err


def test_python_calls_are_refused_likewise():
    for settings, says in (
        ({"nodes": 2**63 - 1}, "nodes: 9223372036854775807 is not accepted"),
        ({"nodes": 4, "repeats": 2**32 + 1}, "repeats: 4294967297 is not accepted"),
        ({"nodes": 4, "seed": 2**64}, "seed: 18446744073709551616 is not accepted"),
        ({"nodes": 4, "bytes": -1}, "bytes: -1 is not accepted"),
    ):
        with pytest.raises(ValueError, match=says):
            sim.simulate("study", "barrier", **settings)


def test_files_that_are_no_toml_are_named(tmp_path):
    for text in ("x = " + "[" * 100_000, "x = " + "9" * 5000):
        with pytest.raises(SimError, match=r"f\.toml"):
            read(tmp_path, text)


@pytest.mark.parametrize("name", ["nodes", "pes_per_node", "repeats", "root"])
def test_numbers_of_more_than_32_bits_do_not_wrap_on_their_way_to_the_simulator(name):
    point = Point(machine.Machine("study"), collective="barrier", nodes=4)
    work = point.work(0) | {name: (1 << 32) + 1}
    with pytest.raises(ValueError, match=f"{name} = 4294967297 does not fit 32 bits"):
        _core.sim_check(point.settings(), point.machine.trace, work)
