# SPDX-License-Identifier: Apache-2.0
"""Samples of pandas' own tests, as installed with pandas, pass on `atoll.pandas`. Nothing of them is kept."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

TESTS = Path(pandas.__file__).parent / "tests"
pytestmark = pytest.mark.skipif(not TESTS.is_dir(), reason="pandas is installed without its tests")

#: Changes to pandas' tests: they import atoll.pandas, and compare by helpers that convert our objects.
SWAPS = (
    (r"^(\s*)import pandas as pd$", r"\1import atoll.pandas as pd"),
    (r"^(\s*)from pandas import ", r"\1from atoll.pandas import "),
    (r"^(\s*)import pandas\._testing as tm$", r"\1import pandas_compare as tm"),
    (r"from pandas\.tests\.", r"from t."),
)
#: Changes to pandas' fixtures: they make Series of two groups of dtypes for every test, which Atoll does not hold.
FIXTURES = (
    ("for dtype in tm.NARROW_NP_DTYPES", 'for dtype in tm.NARROW_NP_DTYPES if dtype.__name__ != "float16"'),
    ("pd.Series(dtype) for dtype in tm.PYTHON_DATA_TYPES", "pd.Series([1]) for dtype in tm.PYTHON_DATA_TYPES"),
)
#: Failures that only touch names that are private to pandas.
PRIVATE = re.compile(r"has no attribute '_|cannot import name '_")


def prepare(root: Path, chosen: list[str]) -> None:
    """Files and folders of pandas' tests in `root`/t, their pandas atoll.pandas."""
    for one in chosen:
        source, target = TESTS / one, root / "t" / one
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "data"))
        else:
            shutil.copy(source, target)
        for folder in Path(one).parents:
            (root / "t" / folder / "__init__.py").touch()
    conftest = (TESTS.parent / "conftest.py").read_text()
    for old, new in FIXTURES:
        conftest = conftest.replace(old, new)
    (root / "t" / "conftest.py").write_text(conftest)
    for path in (root / "t").rglob("*.py"):
        text = path.read_text()
        for pattern, new in SWAPS:
            text = re.sub(pattern, new, text, flags=re.MULTILINE)
        path.write_text(text)
    shutil.copy(Path(__file__).with_name("pandas_compare.py"), root)
    (root / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider -p pandas_compare --continue-on-collection-errors\npythonpath = .\n"
        "filterwarnings = ignore\nmarkers =\n    slow\n    network\n    single_cpu\n    db\n    clipboard\n"
    )


def outcomes(root: Path, chosen: list[str], every: int) -> tuple[int, list[str]]:
    """How many tests passed, and which failed for what reason."""
    prepare(root, chosen)
    command = [sys.executable, "-W", "ignore", "-m", "pytest", "-q", "-m", "not slow"]
    made = subprocess.run(
        [*command, *(f"t/{one}" for one in chosen)], cwd=root, capture_output=True, text=True, timeout=3600,
        env={**os.environ, "PANDAS_SUITE_EVERY": str(every)}, check=False,
    )  # fmt: skip
    assert (root / "outcomes").exists(), made.stdout + made.stderr
    results = [json.loads(line) for line in (root / "outcomes").read_text().splitlines()]
    failed = [f"{name}: {reason}" for name, outcome, reason in results if outcome == "failed"]
    return sum(outcome == "passed" for _, outcome, _ in results), [one for one in failed if not PRIVATE.search(one)]


def require(passed: int, failed: list[str], least: int, share: float) -> None:
    assert passed >= least, f"only {passed} tests ran and passed"
    assert passed >= share * (passed + len(failed)), "\n".join([f"{passed} passed, {len(failed)} failed", *failed])


def test_few_tests_of_pandas_pass(tmp_path):
    chosen = ["resample/test_time_grouper.py", "series/methods/test_between.py", "frame/methods/test_head_tail.py"]
    require(*outcomes(tmp_path, chosen, 1), 30, 0.95)


@pytest.mark.slow
def test_sample_of_tests_of_pandas_passes(tmp_path):
    chosen = ["resample", "series/indexing", "series/methods"]
    require(*outcomes(tmp_path, chosen, 25), 200, 0.9)
