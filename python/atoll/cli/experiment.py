# SPDX-License-Identifier: Apache-2.0
"""`atoll experiment`: run, list, show, compare and publish experiments."""

from __future__ import annotations

import argparse
from pathlib import Path

from atoll.cli.common import CommandError

#: Exit status of a comparison in which a point became slower.
SLOWER_STATUS = 3


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    run = actions.add_parser("run", help="measure what an experiment's file asks for and its results lack")
    run.add_argument("file", type=Path, metavar="FILE", help="TOML, as docs/experiments.md describes it")
    run.add_argument(
        "--results", type=Path, metavar="FILE", help="JSON lines (default: results/NAME-HOST-COMMIT.jsonl)"
    )
    run.add_argument("--dry-run", action="store_true", help="check the file and list the points; measure nothing")
    run.add_argument("--skip-missing", action="store_true", help="go on without contenders that are not here")

    lists = actions.add_parser("list", help="experiments and results there are")
    lists.add_argument(
        "folders", nargs="*", type=Path, metavar="FOLDER", help="(default: those of a checkout, results/)"
    )

    show = actions.add_parser("show", help="what an experiment asks for, or what results hold")
    show.add_argument("file", type=Path, metavar="FILE", help="TOML, or JSON lines")

    compare = actions.add_parser(
        "compare",
        help="which points of two files, commits or hosts differ beyond the noise",
        description="Compares two sets of measurements. Exit status: 0 nothing is slower, 3 something is, 1 cannot.",
    )
    compare.add_argument("a", metavar="A", help="a file of results, or a commit or host of FILE")
    compare.add_argument("b", metavar="B", help="the same, later")
    compare.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="where commits and hosts are looked for (default: results/)"
    )
    compare.add_argument("--contender", default="atoll", help="whose times decide (default: atoll)")
    compare.add_argument(
        "--relative-to", metavar="CONTENDER", help="compare times over this contender's of the same turn"
    )
    compare.add_argument(
        "--confidence", type=share, default=0.95, metavar="PERCENT", help="of the intervals (default: 95)"
    )
    compare.add_argument("--least", type=share, default=0.03, metavar="PERCENT", help="smallest change that counts (3)")

    page = actions.add_parser("page", help="one HTML page with pictures, tables, machine and the file that made it")
    page.add_argument("files", nargs="+", type=Path, metavar="RESULTS", help="of one experiment")
    page.add_argument("--out", type=Path, metavar="FILE", help="(default: the first file's name, .html)")
    page.add_argument("--title", default="", help="(default: the experiment's)")


def share(text: str) -> float:
    """95 or 95% as 0.95."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of percent") from None
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 100 percent")
    return value / 100


def main(arguments: argparse.Namespace) -> int:
    from atoll.bench import BenchError
    from atoll.experiment import ExperimentError

    try:
        return act(arguments)
    except (ExperimentError, BenchError) as error:
        raise CommandError(str(error)) from None


def act(arguments: argparse.Namespace) -> int:
    if arguments.action == "compare":
        return compare(arguments)
    if arguments.action == "page":
        return page(arguments)
    if arguments.action == "list":
        from atoll.experiment.show import print_list

        return print_list(arguments.folders)
    if arguments.action == "show":
        from atoll.experiment.show import show

        return show(arguments.file)
    from atoll.experiment import run

    if arguments.dry_run:
        return run.dry_run(arguments.file, arguments.results, arguments.skip_missing)
    return run.run(arguments.file, arguments.results, arguments.skip_missing)


def compare(arguments: argparse.Namespace) -> int:
    from atoll.experiment import report
    from atoll.experiment.compare import SLOWER, side
    from atoll.experiment.compare import compare as compare_sides
    from atoll.experiment.results import FOLDER

    files = arguments.files or sorted(FOLDER.glob("*.jsonl"))
    sides = side(arguments.a, files), side(arguments.b, files)
    relative = arguments.relative_to
    result = compare_sides(*sides, arguments.contender, relative, arguments.confidence, arguments.least)
    report.show(result, relative)
    return SLOWER_STATUS if result.with_verdict(SLOWER) else 0


def page(arguments: argparse.Namespace) -> int:
    from atoll.experiment.page import render
    from atoll.experiment.results import gather

    out = arguments.out or arguments.files[0].with_suffix(".html")
    text = render(gather(arguments.files), arguments.title)
    try:
        out.write_text(text)
    except OSError as error:
        raise CommandError(f"cannot write {out}: {error.strerror}") from None
    print(f"wrote {out}")
    return 0
