# SPDX-License-Identifier: Apache-2.0
"""The gallery of the site: runs each program in examples/gallery, and shows its picture and its text."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

#: The order of the page: what most people look for first.
ORDER = ("delays", "rolling", "density", "mandelbrot", "spectrum", "machines")


def write_gallery(programs: Path, place: Path) -> str:
    """Writes the page `gallery` and its pictures into the source of the site; its name."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = {path.stem: path for path in programs.glob("*.py")}
    if set(found) != set(ORDER):
        raise SystemExit(f"examples/gallery and ORDER in scripts/gallery.py differ: {sorted(set(found) ^ set(ORDER))}")
    pictures = place / "gallery"
    pictures.mkdir()
    lines = ["# Gallery", "", "The program below each picture draws it. Only values that are drawn are collected.", ""]
    for name in ORDER:
        source = found[name].read_text()
        tree = ast.parse(source)
        title, _, text = (ast.get_docstring(tree) or name).partition("\n")
        runpy.run_path(str(found[name]))
        plt.savefig(pictures / f"{name}.png", dpi=110, bbox_inches="tight")
        plt.close("all")
        code = source.splitlines()[tree.body[0].end_lineno :]
        lines += [f"## {title}", "", text.strip(), "", f"![{title}](gallery/{name}.png)", ""]
        lines += ["```python", *"\n".join(code).strip().splitlines(), "```", ""]
    (place / "gallery.md").write_text("\n".join(lines))
    return "gallery"
