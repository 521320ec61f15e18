# SPDX-License-Identifier: Apache-2.0
"""Lines of Python whose answers are compared: files of them, in sections, and what one gives."""

import warnings

import numpy as np


def sections(path):
    """Section -> its lines; empty lines and comments are left out."""
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def answer(names, line, *errors):
    """What the line's last expression gives with these names, after its statements (`;;` between them).

    Warnings are ignored, but those of the types `errors` raised.
    """
    *statements, expression = line.split(";;")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for category in errors:
            warnings.simplefilter("error", category)
        for statement in statements:
            exec(statement.strip(), names)
        return eval(expression.strip(), names)
