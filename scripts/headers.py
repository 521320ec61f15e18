# SPDX-License-Identifier: Apache-2.0
"""The C++ reference of the site: a page for each layer with its public headers, whose comments document them."""

from __future__ import annotations

import os
import re
from pathlib import Path

#: Layers with public headers, from the lowest.
LAYERS = (
    "base",
    "fabric",
    "runtime",
    "messaging",
    "portal",
    "bootstrap",
    "launch",
    "coll",
    "agg",
    "array",
    "table",
    "sim",
)


def write_headers(root: Path, place: Path) -> str:
    """Writes the pages `cxx` and `cxx/LAYER` into the source of the site; the name of the first."""
    folder = place / "cxx"
    folder.mkdir()
    lines = [
        "C++ reference",
        "=============",
        "",
        "The public headers of each layer. ``make install PREFIX=…`` installs them;",
    ]
    lines += ["``find_package(Atoll)`` finds them.", "", ".. toctree::", "   :maxdepth: 1", ""]
    for layer in LAYERS:
        headers = sorted((root / "src" / layer / "include" / "atoll" / layer).glob("*.hpp"))
        if not headers:
            raise SystemExit(f"src/{layer}/include/atoll/{layer} has no headers: LAYERS in scripts/headers.py is wrong")
        page = [layer, "=" * len(layer), ""]
        for header in headers:
            title = f"atoll/{layer}/{header.name}"
            page += [title, "-" * len(title), "", _first_comment(header.read_text()), ""]
            page += [f".. literalinclude:: {os.path.relpath(header, folder)}", "   :language: cpp", ""]
        (folder / f"{layer}.rst").write_text("\n".join(page))
        lines.append(f"   cxx/{layer}")
    (place / "cxx.rst").write_text("\n".join([*lines, ""]))
    return "cxx"


def _first_comment(text: str) -> str:
    """The comment below the licence, which describes the header, with the markup characters escaped."""
    found = []
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            break
        found.append(line.removeprefix("//").strip())
    return re.sub(r"([*`|_\\])", r"\\\1", " ".join(found))
