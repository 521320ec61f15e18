# SPDX-License-Identifier: Apache-2.0
"""A worker PE of a driver session: ``python -m atoll._worker``, started by `ak.init(pes=…)` and never by hand."""

from __future__ import annotations

from . import _core


def main() -> None:
    """Executes the driver's commands until it shuts down."""
    _core.worker_main()


if __name__ == "__main__":
    main()
