# SPDX-License-Identifier: Apache-2.0
"""Reproducible experiments, defined by a file that lists the measurements.

`plan` reads the file and makes its points; `strategy` chooses how a point runs (`real`: on this machine, on hosts,
under Slurm, at other commits); `results` stores the measurements crash-safely; `run` runs the points; `compare`, with
the intervals of `intervals`, finds changes; `page` renders everything.
"""


class ExperimentError(Exception):
    """An experiment cannot run as requested; the message contains advice."""


class PointFailed(Exception):
    """One point gave no records; the message gives the reason. The other points still run."""


__all__ = ["ExperimentError", "PointFailed"]
