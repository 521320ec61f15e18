# SPDX-License-Identifier: Apache-2.0
"""The command line: help of all commands, exit codes, errors with advice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from built import ROOT, needs_core, needs_launcher

from atoll import cli
from atoll.cli.config_table import to_markdown


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["info"],
        ["demo"],
        ["bench"],
        ["bench", "list"],
        ["bench", "run"],
        ["bench", "plot"],
        ["experiment"],
        *(["experiment", action] for action in ("run", "list", "show", "compare", "page")),
    ],
)
def test_help_everywhere(words, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main([*words, "--help"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {' '.join(['atoll', *words])}")


def test_no_command_prints_help_and_fails(capsys):
    assert cli.main([]) == cli.USAGE
    assert "COMMAND" in capsys.readouterr().out


@pytest.mark.parametrize(("word", "meant"), [("inof", "info"), ("benhc", "bench"), ("expriment", "experiment")])
def test_misspelt_command_is_answered_with_the_one_meant(word, meant, capsys):
    with pytest.raises(SystemExit):
        cli.main([word])
    assert f"there is no command '{word}'. Did you mean '{meant}'?" in capsys.readouterr().err


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("atoll ")


@pytest.mark.parametrize(
    "words",
    [["inof"], ["info", "--nope"], ["bench", "run", "argsort", "--size", "-3"], ["bench", "run", "--size", "x"]],
)
def test_a_wrong_command_line_is_a_usage_error(words, capsys):
    with pytest.raises(SystemExit) as exit_:
        cli.main(words)
    assert exit_.value.code == cli.USAGE
    assert "--help" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bench", "run"], "atoll bench list"),
        (["bench", "run", "argsrot"], "there is no benchmark 'argsrot'. There are: argsort"),
        (["bench", "run", "sort", "--dist", "flat"], "there is no distribution 'flat'. There are: u64"),
        (["bench", "run", "sort", "--against", "nunpy"], "there is no contender 'nunpy'. There are: atoll"),
        (["bench", "run", "sort", "--dtype", "int65", "--size", "10"], "there is no dtype 'int65'"),
        (["bench", "plot", "nowhere.jsonl"], "cannot read nowhere.jsonl: No such file"),
        (["bench", "run", "--sweep", "nowhere.toml"], "cannot read nowhere.toml: No such file"),
    ],
)
def test_errors_are_one_sentence(words, said, capsys):
    assert cli.main(words) == cli.FAILED
    assert said in capsys.readouterr().err


def test_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "atoll", "--help"], capture_output=True, text=True, check=True)
    assert "usage: atoll" in done.stdout


def test_output_may_be_cut_short():
    done = subprocess.run(
        f"{sys.executable} -m atoll bench list | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert "Traceback" not in done.stderr


@needs_core
def test_info_of_fabrics(capsys):
    assert cli.main(["info", "--fabrics"]) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    settings = ["ATOLL_FABRIC_PROVIDER", "ATOLL_FABRIC_RMA", "ATOLL_FABRIC_ENDPOINTS", "ATOLL_FABRIC_INTERFACES"]
    assert rows == ["network", "interfaces", "fabric", "fabric", "fabric", *settings]


@needs_core
def test_info_of_collectives(capsys, monkeypatch):
    monkeypatch.setenv("ATOLL_COLL", "allgather=ring,barrier=dissemination")
    assert cli.main(["info", "--collectives", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert {"hierarchical", "ring", "bruck"} <= set(known["allgather"]["algorithms"])
    assert (known["allgather"]["chosen"], known["alltoall"]["chosen"]) == ("ring", "auto")
    assert cli.main(["info", "--collectives"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split()[:2] == ["barrier", "dissemination"]


def test_info_for_people(capsys):
    assert cli.main(["info"]) == 0
    out = capsys.readouterr().out
    rows = ["version", "processor", "NUMA domains", "memory", "SIMD level", "network", "interfaces", "fabric shm"]
    for row in [*rows, "fabric ofi"]:
        assert row in out


@needs_core
def test_info_for_programs(capsys):
    assert cli.main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cores"] >= 1
    assert found["memory_bytes"] > 0
    assert {"loop", "shm"} <= set(found["fabrics"])


@needs_core
def test_configuration_page_is_current(capsys):
    assert cli.main(["info", "--config", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/configuration.md").read_text(), "run `make docs`"


@needs_core
def test_configuration_for_people(capsys):
    assert cli.main(["info", "--config"]) == 0
    assert "ATOLL_THREADS" in re.sub(r"\s", "", capsys.readouterr().out)


@needs_core
def test_a_bad_variable_is_named(monkeypatch):
    done = subprocess.run(
        [sys.executable, "-c", "import atoll as ak; ak.init(); ak.ones(3)"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "python"), "ATOLL_THREADS": "many"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "ATOLL_THREADS='many' is not valid. Accepted:" in done.stderr


def test_markdown_lists_accepted_values():
    entry = ("ATOLL_LOG", "info", "warning", "choice", "error|warning", "What to log.")
    assert to_markdown([entry]).endswith("| `ATOLL_LOG` | `warning` | `error`, `warning` | What to log. |\n")


def atoll_run(*words, cwd=None):
    command = [sys.executable, "-m", "atoll", "run", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=cwd)


@needs_launcher
def test_a_python_script_gets_this_interpreter(tmp_path):
    (tmp_path / "script.py").write_text("import sys; print(sys.executable, *sys.argv[1:])")
    (tmp_path / "tool").write_text("#!/usr/bin/env nowhere-python3\nimport sys; print(sys.executable, 'tool')")
    ours = sys.executable
    second = ["-np", "1", "--", "tool"]
    done = atoll_run("-n1", "--label", "--bind", "core", "script.py", "-n", "x", ":", *second, cwd=tmp_path)
    assert sorted(done.stdout.splitlines()) == [f"[0] {ours} -n x", f"[1] {ours} tool"], done.stderr
    assert atoll_run("-n", "1", "-wdir", tmp_path, "script.py").stdout == f"{ours}\n"
    assert atoll_run("-n", "1", "echo", "script.py").stdout == "script.py\n"
    done = atoll_run("-n", "2", "nowhere.py")
    assert done.returncode == 2
    assert "cannot run 'nowhere.py': there is no such file" in done.stderr


@needs_launcher
def test_run_shows_standard_output_of_pe_0_of_scripts(tmp_path):
    (tmp_path / "same.py").write_text("import sys; print('same'); print('error', file=sys.stderr)")
    (tmp_path / "differs.py").write_text("import os; print('PE', os.environ['ATOLL_PE'])")
    done = atoll_run("-n", "3", "same.py", cwd=tmp_path)
    assert done.stdout == "same\n"
    assert done.stderr == "error\n" * 3
    assert (
        sorted(atoll_run("-n", "3", "--output", "all", "differs.py", cwd=tmp_path).stdout.split())
        == ["0", "1", "2"] + ["PE"] * 3
    )
    done = atoll_run("-n", "3", "differs.py", cwd=tmp_path)
    assert done.stdout == "PE 0\n"
    assert "output of PE 1 was not shown, and differs from what is shown. `--output all` shows all PEs" in done.stderr
    assert atoll_run("-n", "3", "--output", "2", "differs.py", cwd=tmp_path).stdout == "PE 2\n"
    assert atoll_run("-n", "2", "echo", "other").stdout == "other\n" * 2
    done = atoll_run("-n", "3", "--output", "3", "differs.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "--output 3 names no PE of this job (PEs 0 to 2)" in done.stderr


@needs_launcher
def test_run_without_a_count_takes_a_pe_per_core_for_a_script(tmp_path):
    (tmp_path / "count.py").write_text("import os; print(os.environ['ATOLL_NPES'])")
    cores = len(os.sched_getaffinity(0))
    assert atoll_run("count.py", cwd=tmp_path).stdout == f"{cores}\n"
    assert atoll_run("--threads", cores, "count.py", cwd=tmp_path).stdout == "1\n"
    assert "the number of PEs is not given" in atoll_run("true").stderr


@needs_launcher
def test_run_suggests_the_option_that_was_meant():
    assert "unknown option --lable. Did you mean --label?" in atoll_run("-n", "1", "--lable", "true").stderr


@needs_launcher
def test_run_passes_arguments_output_and_status(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import os, sys; print(os.environ['ATOLL_PE'], sys.argv[1:]); sys.exit(int(sys.argv[2]))")
    command = [sys.executable, "-m", "atoll", "run", "-n", "2", "--output", "all", str(script), "-n"]
    done = subprocess.run([*command, "0"], capture_output=True, text=True, check=False, timeout=60)
    assert sorted(done.stdout.splitlines()) == ["0 ['-n', '0']", "1 ['-n', '0']"]
    assert done.returncode == 0
    assert subprocess.run([*command, "3"], capture_output=True, check=False, timeout=60).returncode == 3
