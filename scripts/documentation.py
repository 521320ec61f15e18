# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site in build/site: the pages of docs/, a gallery, and references of Python and C++."""

from __future__ import annotations

import argparse
import inspect
import re
import shutil
import sys
import types
from pathlib import Path
from typing import Any

from gallery import write_gallery
from headers import write_headers

ROOT = Path(__file__).resolve().parent.parent
CONF = """
project = "Atoll"
copyright = "the Atoll authors"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser"]
templates_path = ["templates"]
autosummary_generate = True
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"description": "Arrays, frames and one-sided communication", "page_width": "1100px"}
# A contents of all pages in the sidebar of each page would take the square of their number; the first page has it.
html_sidebars = {
    "index": ["about.html", "searchfield.html", "navigation.html"],
    "**": ["about.html", "searchfield.html", "localtoc.html", "relations.html"],
}
suppress_warnings = ["myst.header", "autosummary.import_cycle"]
nitpicky = False
"""
CLASS = """{{ objname | escape | underline }}

.. currentmodule:: {{ module }}

.. autoclass:: {{ objname }}
   :members:
   :inherited-members: object, int, float, str, dict, list, tuple, Enum
"""
#: Modules beside `atoll` itself whose public names have pages.
MODULES = (
    "atoll.linalg",
    "atoll.fft",
    "atoll.random",
    "atoll.pandas",
    "atoll.shmem",
    "atoll.sim",
    "atoll.narwhals",
    "atoll.arkouda",
)

#: Classes of results of methods, which users do not construct.
GIVEN = (
    "atoll.frame.accessors.Categories", "atoll.frame.accessors.Parts", "atoll.frame.accessors.Texts",
    "atoll.frame.groupby.groupby.DataFrameGroupBy", "atoll.frame.groupby.groupby.SeriesGroupBy",
    "atoll.frame.groupby.resample.Resampler", "atoll.frame.window.windows.Windowed", "atoll.plan.scan.Scan",
)  # fmt: skip


def sections() -> dict[str, list[str]]:
    """Full names of what is public, by the section they stand in."""
    import importlib

    sys.path.insert(0, str(ROOT / "python"))
    atoll = importlib.import_module("atoll")
    lazy = importlib.import_module("atoll.lazy")
    found: dict[str, list[str]] = {"Classes": [], "Functions of arrays": [], "Frames, files and columns": []}
    for name in sorted(set(atoll.__all__) | set(lazy.LAZY)):
        value = getattr(atoll, name)
        if getattr(value, "__module__", "numpy").partition(".")[0] != "atoll" or isinstance(value, types.ModuleType):
            continue  # NumPy's own types and constants
        if inspect.isclass(value):
            found["Classes"].append(f"atoll.{name}")
        else:
            found["Frames, files and columns" if name in lazy.LAZY else "Functions of arrays"].append(f"atoll.{name}")
    found["What methods of frames give"] = list(GIVEN)
    public = [getattr(atoll, name) for name in (*atoll.__all__, *lazy.LAZY)]
    classes = {id(value) for value in public if inspect.isclass(value)}
    for module in MODULES:
        held = importlib.import_module(module)
        names = getattr(held, "__all__", [name for name in vars(held) if _own(held, name)])
        # A class that `atoll` has too is described there, once; pandas' own classes are described by pandas.
        found[f"``{module}``"] = [
            f"{module}.{name}" for name in sorted(names)
            if callable(getattr(held, name, None)) and id(getattr(held, name)) not in classes
            and str(getattr(getattr(held, name), "__module__", "atoll")).partition(".")[0] == "atoll"
        ]  # fmt: skip
    return found


def _own(module: Any, name: str) -> bool:
    value = getattr(module, name)
    return not name.startswith("_") and getattr(value, "__module__", None) == module.__name__


def write_source(place: Path, names: dict[str, list[str]]) -> None:
    """What Sphinx reads: the pages, their contents, and the reference."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "docs", place)
    (place / "conf.py").write_text(CONF)
    (place / "templates" / "autosummary").mkdir(parents=True)
    (place / "templates" / "autosummary" / "class.rst").write_text(CLASS)
    docs = ROOT / "docs"
    pages = sorted(path.stem for path in docs.glob("*.md") if path.stem != "README")
    pages += sorted(path.relative_to(docs).with_suffix("").as_posix() for path in docs.glob("*/*.md"))
    for page in place.rglob("*.md"):
        folder = docs / page.parent.relative_to(place)
        page.write_text(_with_links(page.read_text(), folder, place, "../" * len(page.parent.relative_to(place).parts)))
    home = (place / "README.md").read_text()
    (place / "README.md").unlink()
    made = [write_gallery(ROOT / "examples" / "gallery", place), write_headers(ROOT, place)]
    contents = "\n".join(["```{toctree}", ":hidden:", "", "reference", *made, *pages, "```", ""])
    (place / "index.md").write_text(f"{home}\n{contents}")
    lines = ["Reference", "=========", ""]
    for title, held in names.items():
        lines += [title, "-" * len(title), "", ".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in held] + [""]
    (place / "reference.rst").write_text("\n".join(lines))


def _with_links(text: str, folder: Path, place: Path, up: str = "") -> str:
    """A page of a folder, with links to files that the site has: those outside of docs/ are copied to it."""

    def moved(match: re.Match[str]) -> str:
        target, mark, part = match[1].partition("#")
        path = (folder / target).resolve()
        if not target or not path.is_file():
            return match[0]
        if path.is_relative_to(ROOT / "docs"):
            name = path.relative_to(ROOT / "docs").as_posix()
            name = "index.md" if name == "README.md" else name
            return f"]({up}{name}{mark}{part})"
        copy = place / "files" / path.relative_to(ROOT)
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
            if path.suffix == ".md":
                back = "../" * len(copy.parent.relative_to(place).parts)
                copy.write_text(f"---\norphan: true\n---\n{_with_links(path.read_text(), path.parent, place, back)}")
        return f"]({up}{copy.relative_to(place).as_posix()}{mark}{part})"

    return re.sub(r"\]\(([^)\s]+)\)", moved, text)


def main() -> int:
    """Builds it; how Sphinx ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "build" / "site"))
    out = Path(parser.parse_args().out)
    from sphinx.cmd.build import build_main

    source = out.with_name(out.name + "-source")
    write_source(source, sections())
    return int(build_main(["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", str(source), str(out)]))


if __name__ == "__main__":
    sys.exit(main())
