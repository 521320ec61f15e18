# SPDX-License-Identifier: Apache-2.0
"""Machine and experiment files, and the commands of `atoll sim`."""

import doctest
import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest

sim = pytest.importorskip("atoll.sim")
from atoll.cli import main
from atoll.sim import chart, experiment, fit, machine, run, units
from atoll.sim.source import SimError

SMALL = """\
title = "A small one"
machine = "study"

[[run]]
collective = ["barrier", "allreduce"]
element = "8 B"
bytes = "8 B"
nodes = [2, 16]
executor = ["host", "interface"]
noise = ["none", "250 ns at 100 kHz"]

[plot]
panels = "collective"
lines = ["noise", "executor"]
"""


def write(folder, text, name="small.toml"):
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(sim.__path__, "atoll.sim.")] + ["atoll.sim"])
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed


@pytest.mark.parametrize("name", machine.presets())
def test_every_machine_runs_every_executor(name):
    for executor in ("host", "core", "interface"):
        record = sim.simulate(name, "allreduce", 64, bytes=8, element_bytes=8, pes_per_node=2, executor=executor)
        assert 1e-6 < record["time_s"] < 1e-3


@pytest.mark.parametrize("name", experiment.known())
def test_every_experiment_is_right_and_its_smallest_runs(name):
    read = experiment.load(name)
    point = min(read.points, key=run.cost)
    record = point.record(point.run())
    assert record["simulated_s"] > 0
    assert record["nodes"] == point.nodes


def test_run_plot_and_trace(tmp_path, capsys):
    file = write(tmp_path, SMALL)
    assert main(["sim", "run", str(file), "--out", str(tmp_path)]) == 0
    lines = [json.loads(line) for line in (tmp_path / "small.jsonl").read_text().splitlines()]
    assert lines[0]["title"] == "A small one"
    assert len(lines) == 1 + 2 * 2 * 2 * 2
    assert {(one["collective"], one["noise"]) for one in lines[1:]} == {
        (collective, noise) for collective in ("barrier", "allreduce") for noise in ("none", "250 ns at 100 kHz")
    }
    for suffix, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        assert (tmp_path / f"small{suffix}").read_bytes().startswith(magic)
        (tmp_path / f"small{suffix}").unlink()
    assert main(["sim", "plot", str(tmp_path / "small.jsonl")]) == 0
    assert (tmp_path / "small.svg").exists()
    assert main(["sim", "trace", str(file), "--point", "2", "--out", str(tmp_path / "trace.json")]) == 0
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"M", "X", "s", "f"} == {event["ph"] for event in events}
    assert sum(event["ph"] == "s" for event in events) == 2  # 2 nodes, one round
    assert main(["sim", "list"]) == 0
    assert "study" in capsys.readouterr().out


def test_results_are_the_same_with_any_number_of_threads(tmp_path):
    read = experiment.load(write(tmp_path, SMALL))
    timing = {"build_s", "run_s"}
    results = [
        [{k: v for k, v in one.items() if k not in timing} for one in run.run(read, None, jobs)] for jobs in (1, 3)
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (
            ('machine = "study"', 'machin = "study"'),
            2,
            "machin: there is no such key. There are: title, about, machine",
        ),
        (('machine = "study"', 'machine = "studie"'), 2, "there is no machine 'studie'. There are: aries"),
        (('bytes = "8 B"', "bytes = 8"), 7, "run[1].bytes: 8 has no unit. Write a number and one of B, kB"),
        (
            ("nodes = [2, 16]", "nodes = [2, 0]"),
            8,
            "run[1].nodes: 0 is not accepted. Write a whole number of at least 1",
        ),
        (
            ('"host", "interface"', '"host", "moon"'),
            9,
            "run[1].executor: 'moon' is not accepted. Write one of host, core",
        ),
        (("at 100 kHz", "each 100 kHz"), 10, "run[1].noise: '250 ns each 100 kHz' is no noise"),
        (
            ('executor = ["host"', 'algorithm = "quick"\nexecutor = ["host"'),
            9,
            "barrier has no algorithm 'quick'. Write one",
        ),
        (("nodes =", 'network.latency = "0 ns"\nnodes ='), 8, "run[1].network.latency: it must be above 0"),
        (("nodes =", 'network.latency = "-5 ns"\nnodes ='), 8, "'-5 ns' is below 0"),
        (("nodes =", 'host.message_rate = "0 M/s"\nnodes ='), 8, "'0 M/s' is a rate of 0: give one above 0"),
        (
            ("nodes =", 'network.hops = "5 ns"\nnodes ='),
            8,
            "run[1].network.hops: there is no such key. There are: latency",
        ),
        (
            ("nodes =", "network.torus = [4, 4, 4]\nnodes ="),
            9,
            "run[1].nodes: a torus of 4 x 4 x 4 has 64 nodes, not 2",
        ),
        (("nodes =", 'memory = "1 kB"\nnodes ='), 8, "are allowed"),
        (('panels = "collective"', 'y = "speed"'), 13, "plot.y: 'speed' is no figure. Write one of time_s"),
        (('panels = "collective"', 'x = "moon"'), 13, "plot.x: 'moon' is no setting of these runs. There are: machine"),
        (('panels = "collective"', 'panels = ["bytes", "moon"]'), 13, "plot.panels: 'moon' is no setting"),
        (('panels = "collective"', 'log = "z"'), 13, "plot.log: 'z' is not accepted. Write one of"),
        (('panels = "collective"', 'y = "ratio"'), 13, "plot.y: a ratio needs ratio_to"),
        (("executor =", "root = 2\nexecutor ="), 9, "run[1].root: root 2 is not one of 2 members"),
        (("[[run]]", "[[runs]]"), 4, "runs: there is no such key"),
        (("[plot]", "[plot"), 12, "is not TOML"),
    ],
)
def test_errors_name_file_line_and_key_before_anything_runs(tmp_path, capsys, change, line, says):
    file = write(tmp_path, SMALL.replace(*change, 1))
    assert main(["sim", "run", str(file), "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert f"{file}:{line}: " in said
    assert says in said
    assert not (tmp_path / "small.jsonl").exists()


def test_mistakes_of_machine_files(tmp_path):
    good = 'host.overhead = "100 ns"\n[network]\nlatency = "1 us"\n'
    assert machine.load(write(tmp_path, good, "m.toml")).values["latency_ps"] == 10**6
    for text, says in (
        (good.replace('"1 us"', '"1 parsec"'), "m.toml:3: network.latency: 'parsec' is no unit of a time"),
        (good + 'topology = "dragonfly"\n', "m.toml:4: network.topology: a dragonfly needs nodes_per_router"),
        (good.replace("host.overhead", "host.miss"), "m.toml:1: host: it needs overhead"),
        (
            good + 'routing = "scenic"\n',
            "m.toml:4: network.routing: 'scenic' is not accepted. Write one of minimal, adaptive",
        ),
    ):
        with pytest.raises(SimError) as error:
            machine.load(write(tmp_path, text, "m.toml"))
        assert says in str(error.value)


def test_the_whole_runtime_runs_on_a_machine():
    few, more = (sim.simulate("hdr-infiniband", "runtime", n, algorithm="gather", items=50) for n in (4, 32))
    assert few["start_pe_messages"] < more["start_pe_messages"] < 2 * few["start_pe_messages"] + 20
    assert more["runtime_bytes"] >= few["runtime_bytes"] > 0
    assert more["time_s"] > 0


def test_unsupported_settings_of_the_runtime_are_reported_before_it_runs(tmp_path, capsys):
    text = 'machine = "study"\n[[run]]\ncollective = "runtime"\nalgorithm = "start"\nnodes = 64\npes_per_node = 4\n'
    for changed, line, says in (
        (text.replace("= 4\n", "= 4000\n"), 5, "64 nodes of 4000 PEs: 1 to 65536 PEs in all are accepted"),
        (text.replace('algorithm = "start"\n', ""), 4, "'auto' is not a program. Accepted: start"),
    ):
        assert main(["sim", "run", "--check", str(write(tmp_path, changed))]) == 1
        said = capsys.readouterr().err
        assert f"small.toml:{line}: " in said
        assert says in said
    assert main(["sim", "trace", str(write(tmp_path, text))]) == 1
    assert "programs of the whole runtime have no timeline" in capsys.readouterr().err


def test_unwritable_files_are_named(tmp_path, capsys):
    file = str(write(tmp_path, SMALL))
    assert main(["sim", "trace", file, "--out", str(tmp_path / "none" / "trace.json")]) == 1
    assert "none/trace.json: No such file" in capsys.readouterr().err
    assert main(["sim", "run", file, "--out", str(tmp_path / "small.toml")]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_a_fit_recovers_a_machine_from_its_times(tmp_path, capsys):
    known = fit.machine_of([20_000, 45_000, 30_000, 60_000, 20_000, 5_000, 900_000], cores=2)
    sizes = [("barrier", 0), *((name, size) for name in ("broadcast", "allreduce") for size in (64, 4096, 262144))]
    lines = [
        {"name": f"collectives.{name}", "contender": "atoll", "size": size, "pes": pes, "cores": 2,
         "dtype": "u8", "dist": "uniform", "threads": 1, "bytes": size, "gib_s": 0.0, "checksum": "0",
         "seconds": [fit.predict(known, fit.Measured(name, size, pes, 0))]}
        for name, size in sizes for pes in (2, 4)
    ]  # fmt: skip
    file = write(tmp_path, "\n".join(map(json.dumps, lines)), "measured.jsonl")
    assert main(["sim", "fit", str(file), "--out", str(tmp_path / "this.toml")]) == 0
    within = re.search(r"(\d+) of 14 within 20 %", capsys.readouterr().out)
    assert within is not None
    assert int(within[1]) >= 13
    found = machine.load(tmp_path / "this.toml").values
    assert found["memory_latency_ps"] > 0
    assert found["cores"] == 2
    assert found["switch_ps"] == pytest.approx(900_000, rel=0.1)
    write(tmp_path, json.dumps({**lines[0], "name": "sort"}) + "\n", "none.jsonl")
    assert main(["sim", "fit", str(tmp_path / "none.jsonl")]) == 1
    assert "no collectives of Atoll. Measure them: atoll bench run collectives" in capsys.readouterr().err


def test_recorded_noise(tmp_path):
    write(tmp_path, "100 50\n900 50\n10000\n", "noise.txt")
    text = 'host.overhead = "100 ns"\nnetwork.latency = "1 us"\nnoise.kind = "trace"\nnoise.trace = "noise.txt"\n'
    noisy = sim.simulate(write(tmp_path, text, "m.toml"), "barrier", 64, repeats=50)
    quiet = sim.simulate(write(tmp_path, text.replace('"trace"', '"none"'), "n.toml"), "barrier", 64, repeats=50)
    assert quiet["time_s"] < noisy["time_s"] < quiet["time_s"] * 1.2
    with pytest.raises(SimError, match=r"noise\.trace: .* is no trace"):
        sim.simulate(write(tmp_path, text.replace("noise.txt", "m.toml"), "o.toml"), "barrier", 64)


def test_documented_files_are_right(tmp_path, capsys):
    page = (Path(__file__).parents[3] / "docs" / "simulation.md").read_text()
    found = re.findall(r"```toml\n# (\S+)\n(.*?)```", page, flags=re.DOTALL)
    assert [name for name, _ in found] == ["latency.toml", "changed.toml"]
    for name, text in found:
        assert main(["sim", "run", "--check", str(write(tmp_path, text, name))]) == 0
    assert "latency.toml: 48 simulations" in capsys.readouterr().out


def test_units():
    assert units.femtoseconds_per_byte("425 MB/s") == 2352941
    assert units.whole_bytes("1.5 KiB") == 1536
    with pytest.raises(ValueError, match="no whole number of bytes"):
        units.whole_bytes("1.3 B")


def record(**settings):
    return {"machine": "study", "collective": "barrier", "nodes": 4, "time_s": 1e-6, **settings}


def test_charts_show_settings_that_are_no_numbers(tmp_path):
    names = ("tree2", "tree4", "dissemination")
    head = {"title": "t", "plot": {"x": "algorithm", "lines": "executor"}}
    records = [record(algorithm=one, executor=how) for one in names for how in ("host", "interface")]
    made = chart.Chart(head, records)
    assert made.names == list(names)
    assert made.along(made.panels[""]["host"]) == [0, 1, 2]
    assert made.along(["tree4", "unknown"]) == [1, None]
    made.draw([tmp_path / "c.png"])
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_charts_give_each_line_and_each_publication_a_look_of_its_own():
    lines = [f"algorithm {i}" for i in range(20)]
    published = [{"label": f"p{i}", "x": [4], "y": [1e-6], "source": "s"} for i in range(3)]
    published += [{"label": "of a line", "line": lines[2], "x": [4], "y": [1e-6], "source": "s"}]
    head = {"title": "t", "plot": {"lines": "algorithm"}, "published": published}
    looks = chart.Looks(chart.Chart(head, [record(algorithm=one) for one in lines]))
    seen = {(str(look["color"]), look["marker"]) for look in map(looks.of_line, lines)}
    assert len(seen) == 20
    assert len({looks.of_published(i)["marker"] for i in range(3)}) == 3
    assert looks.of_published(3)["color"] == looks.of_line(lines[2])["color"]
    assert looks.of_published(3)["fillstyle"] == "none"


def test_charts_write_sizes_with_units():
    records = [record(bytes=2**24, contended=True, absent=None)]
    made = chart.Chart({"title": "t", "plot": {"panels": ["bytes", "contended", "absent"], "lines": []}}, records)
    assert list(made.panels) == ["bytes 16 MiB, contended: yes"]


def test_charts_name_the_keys_of_machines():
    records = [record(**{"host.peer": "35.4 ms"})]
    made = chart.Chart({"title": "t", "plot": {"lines": ["machine", "host.peer"]}}, records)
    assert list(made.panels[""]) == ["study, host.peer 35.4 ms"]


def test_charts_have_room_for_0_on_a_logarithmic_axis_and_for_published_points():
    plt = pytest.importorskip("matplotlib.pyplot")
    drawn = []
    records = [record(**{"protocol.list": x}) for x in (0, 1, 1000)]
    head = {
        "plot": {"x": "protocol.list", "log": "x"},
        "published": [{"label": "p", "x": [1], "y": [9.0], "source": "s"}],
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plt, "close", drawn.append)
        chart.Chart(head, records).draw([])
    (axis,) = drawn[0].axes
    try:
        assert axis.get_xscale() == "symlog"
        assert axis.get_ylim()[0] == 0 and axis.get_ylim()[1] > 9.5
    finally:
        plt.close(drawn[0])


def test_the_studys_offloaded_broadcasts_are_met():
    """Announced and fetched: within 13 % from 64 to 32,768 nodes."""
    read = experiment.load("offload-study")
    (beside,) = (one for one in read.published if one["label"] == "study: knomial16, interface")
    points = [one for one in read.points if one.algorithm == "knomial16" and one.executor == "interface"]
    for point, published in zip(points, beside["y"], strict=True):
        assert point.record(point.run())["time_s"] == pytest.approx(published, rel=0.13)


def test_the_published_argsort_times_that_were_not_fitted_to_are_met():
    read = experiment.load("argsort-peers")
    beside = read.published[-1]
    points = [one for one in read.points if one.nodes in beside["x"] and one.labels["host.peer"] != "0 ms"]
    for point, published in zip(points, beside["y"], strict=True):
        assert point.record(point.run())["time_s"] == pytest.approx(published, rel=0.05)


def test_published_points_name_panels_and_lines_that_there_are():
    for name in experiment.known():
        read = experiment.load(name)
        sizes = ("bytes", "nodes")
        records = [
            {"time_s": 1.0, "key_gib_s": 1.0, "pe_messages": 1.0, **{k: getattr(p, k) for k in sizes},
             "machine": p.machine.name, "collective": p.collective, "algorithm": p.algorithm, "executor": p.executor,
             **p.labels}
            for p in read.points
        ]  # fmt: skip
        made = chart.Chart(run.head_of(read), records)
        for one in read.published:
            if "panel" in one:
                assert one["panel"] in made.panels, name
            if "line" in one:
                assert any(one["line"] in lines for lines in made.panels.values()), (name, one["line"])


def test_argsort_counts_keys_alone():
    made = sim.simulate("hdr-100", "sort", 4, bytes=2**30)
    assert made["key_gib_s"] == pytest.approx(2 / made["time_s"])
    assert sim.simulate("hdr-100", "barrier", 4)["key_gib_s"] == 0
