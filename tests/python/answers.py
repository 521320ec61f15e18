# SPDX-License-Identifier: Apache-2.0
"""Files of Python lines whose answers are compared with an oracle's (NumPy, pandas): one test item per line."""

import re
import warnings
from dataclasses import dataclass

import numpy as np
import perturb
import pytest


@dataclass(frozen=True)
class Case:
    """One line of an answers file: statements, then the expression whose value is compared (`;;` between them)."""

    section: str
    number: int
    line: str

    @property
    def name(self):
        """Selects the case by `-k`: its section and its line number, as in `reductions-1032`."""
        return f"{re.sub(r'[^A-Za-z0-9]+', '_', self.section).strip('_')}-{self.number}"

    def evaluate(self, names, *errors):
        """Value of the expression with these names. Warnings are ignored; those of the types `errors` are raised."""
        *statements, expression = self.line.split(";;")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for category in errors:
                warnings.simplefilter("error", category)
            for statement in statements:
                exec(statement.strip(), names)
            return eval(expression.strip(), names)


def cases(path):
    """The cases of a file. Sections begin with `## `; empty lines and comments are skipped."""
    found, section = [], ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            section = line[3:]
        elif line and not line.startswith("#"):
            found.append(Case(section, number, line))
    return found


def parametrize(path):
    """Decorator: the test runs once per case of the file."""
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases(path)])


#: An oracle that raises one of these did not answer: the line itself is wrong.
BROKEN_LINE = (SyntaxError, NameError, UnboundLocalError)


def compare(oracle, ours, same):
    """Asserts that `ours()` gives the answer of `oracle()`, as `same(got, expected)` judges, or the same type of error.

    Then `same` has to refuse wrong variants of that answer, so that no case passes whatever the answer is.
    """
    try:
        expected = oracle()
    except Exception as error:
        if type(error) in BROKEN_LINE:
            pytest.fail(f"the line does not run in the oracle: {type(error).__name__}: {error}")
        same_error(ours, error)
    else:
        found = ours()
        same(found, expected)
        for what, wrong in perturb.variants(expected):
            if accepts(same, found, wrong):
                pytest.fail(f"the comparison also accepts an answer in which this is changed: {what}")


def accepts(same, found, expected):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same(found, expected)
    except Exception:  # a comparison that meets other types than it knows may raise anything
        return False
    return True


def same_error(ours, error):
    """Asserts that `ours()` raises an error of exactly this type."""
    raised = None
    try:
        found = ours()
    except Exception as problem:
        raised = problem
    if raised is not None:
        assert type(raised) is type(error), (
            f"{type(raised).__name__}: {raised}\n  instead of {type(error).__name__}: {error}"
        )
    else:
        pytest.fail(f"no error, but {found!r}\n  instead of {type(error).__name__}: {error}")
