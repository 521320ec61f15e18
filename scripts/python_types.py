# SPDX-License-Identifier: Apache-2.0
"""How many parameters and results of the Python package are annotated as `Any`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

#: Percent of annotated parameters and of results that are `Any`, at most. The numbers may only fall; the aim is 15.
AT_MOST = {"parameters": 27.3, "results": 35.5}


def annotations(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The annotations of parameters other than self and cls, and of results."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.args
            several = [one for one in (given.vararg, given.kwarg) if one is not None]
            for one in [*given.posonlyargs, *given.args, *given.kwonlyargs, *several]:
                if one.annotation is not None and one.arg not in ("self", "cls"):
                    yield "parameters", one.annotation
            if node.returns is not None:
                yield "results", node.returns


def check_types(paths: dict[str, Path]) -> Iterator[str]:
    """Shares of `Any` that are larger than they were."""
    counts = {kind: [0, 0] for kind in AT_MOST}
    for name, path in paths.items():
        if name.partition(".")[0] == "atoll" and path.suffix == ".py":
            for kind, annotation in annotations(ast.parse(path.read_text())):
                counts[kind][0] += ast.unparse(annotation) == "Any"
                counts[kind][1] += 1
    for kind, (found, total) in counts.items():
        share = 100 * found / max(total, 1)
        if share > AT_MOST[kind]:
            yield f"python/atoll: {share:.2f} % of {kind} are Any (at most {AT_MOST[kind]}): give the new ones types"
