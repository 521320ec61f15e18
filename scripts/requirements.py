# SPDX-License-Identifier: Apache-2.0
"""Prints the requirements of groups of pyproject.toml, one a line: "build", "run", an extra, or a dependency group."""

import sys
import tomllib
from pathlib import Path

project_file = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
groups = {
    "build": project_file["build-system"]["requires"],
    "run": project_file["project"]["dependencies"],
    **project_file["project"]["optional-dependencies"],
    **project_file["dependency-groups"],
}
for name in sys.argv[1:]:
    if name not in groups:
        sys.exit(f"no group '{name}' in pyproject.toml: there are {', '.join(groups)}")
print("\n".join(dict.fromkeys(line for name in sys.argv[1:] for line in groups[name])))
