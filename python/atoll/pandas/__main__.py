# SPDX-License-Identifier: Apache-2.0
"""``python -m atoll.pandas script.py``: runs a script whose ``import pandas`` gives `atoll.pandas`."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from . import accelerator, profile


def main(args: Sequence[str] | None = None) -> int:
    """Runs a script, or a module with ``-m``, with its own arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m atoll.pandas", description="Run a script whose `import pandas` gives atoll.pandas."
    )
    parser.add_argument("--profile", action="store_true", help="at the end, print what pandas did and what it took")
    parser.add_argument("-m", dest="module", action="store_true", help="the script is a module's name")
    parser.add_argument("script", help="a file, or with -m a module")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="arguments of the script")
    given = parser.parse_args(args)
    if not given.module and not Path(given.script).is_file():
        parser.error(f"cannot run {given.script} (no such file). Is it a module? Then say -m")
    accelerator.install()
    if given.profile:
        profile.start()
    sys.argv = [given.script, *given.args]
    try:
        if given.module:
            sys.path.insert(0, "")
            runpy.run_module(given.script, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(given.script).resolve().parent))
            runpy.run_path(given.script, run_name="__main__")
    finally:
        if given.profile:
            profile.report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
