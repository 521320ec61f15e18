# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/experiments.md: files are valid, and commands work as documented."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from built import ROOT, needs_core

from atoll import cli
from atoll.experiment import plan

PAGE = (ROOT / "docs/experiments.md").read_text()
FILES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("text", FILES, ids=lambda text: text.splitlines()[0])
def test_files_are_right(tmp_path, text):
    path = tmp_path / "one.toml"
    path.write_text(text)
    assert plan.read(path).points


def test_every_key_is_described():
    for key in {*plan.HEAD, *plan.AXES, *plan.SHARED} - {"sweep"}:
        assert f"`{key}`" in PAGE, key


@needs_core
def test_commands_work_in_their_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("scaling.toml").write_text(FILES[0].replace("rounds = 3", "rounds = 1"))
    commands = re.findall(
        r"^atoll (experiment .*?)(?:  +#.*)?$", re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)[0], re.M
    )
    assert len(commands) == 7
    for command in commands:
        status = cli.main(shlex.split(command))
        said = capsys.readouterr()
        # The same code twice: nothing should be slower, but on a busy machine it may.
        assert status == 0 or ("compare" in command and status == 3), (command, said.err)
    assert "<svg" in Path("before.html").read_text()
