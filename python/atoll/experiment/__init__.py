# SPDX-License-Identifier: Apache-2.0
"""Experiments that can be repeated: a file says what to measure, and everything else follows from it.

`plan` reads the file and makes its points; `strategy` says what runs a point (`real`: on this machine, on hosts, under
Slurm, at other commits); `results` keeps what was measured, whatever ends the run; `run` goes through the points;
`compare`, with the intervals of `intervals`, says what changed; `page` shows it all.
"""


class ExperimentError(Exception):
    """An experiment cannot be done as asked; the text says what to do."""


class PointFailed(Exception):
    """One point gave no records; the text says why. The others go on."""


__all__ = ["ExperimentError", "PointFailed"]
