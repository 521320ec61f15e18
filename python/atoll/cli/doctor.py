# SPDX-License-Identifier: Apache-2.0
"""`atoll doctor`: whether this host, and other hosts of a cluster, can run a job together; if not, what to change."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from atoll.cli import doctor_hosts
from atoll.cli.common import FAILED
from atoll.cli.doctor_report import Report, answer, describe, judge, report

#: Providers of libfabric over TCP.
TCP_PROVIDERS = ("tcp", "net")


def configure(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--hosts", help="hosts to try out, as for `atoll run`: a:2,b:2")
    where.add_argument("--hostfile", type=Path, help="the same, from a file")
    parser.add_argument("--launch-agent", help="as for `atoll run`")
    parser.add_argument("--address", help="as for `atoll run`")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for a host (default: 60)")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)


def advise(reports: dict[str, Report]) -> list[str]:
    """Advice about conditions that slow jobs down without preventing them."""
    paced = [
        host
        for host, found in reports.items()
        if found.get("tcp_congestion_control") == "bbr"
        and str(found.get("network", "")).partition(", ")[2].split(";")[0] in TCP_PROVIDERS
    ]
    if not paced:
        return []
    return [
        f"TCP's congestion control is bbr on {', '.join(paced)}: it sends at a pace that it guesses for each "
        "connection. Between near hosts that costs a fifth of the time of long transfers, and makes jobs differ: "
        "sysctl -w net.ipv4.tcp_congestion_control=cubic"
    ]


def compare(reports: dict[str, Report]) -> list[str]:
    """Required properties in which the hosts differ."""
    said = []
    for key, name, advice in (
        ("atoll", "Atoll", "Install one version on all hosts"),
        ("python", "Python", "PEs of one job had better run the same Python"),
        ("network", "the network", "Install one libfabric, or set ATOLL_FABRIC_PROVIDER to what all have"),
    ):
        values: dict[str, list[str]] = {}
        for host, found in reports.items():
            values.setdefault(str(found.get(key, "none")), []).append(host)
        if len(values) > 1:
            listed = "; ".join(f"{value} on {', '.join(hosts)}" for value, hosts in values.items())
            said.append(f"hosts differ in their version of {name}: {listed}. {advice}")
    missing = [host for host, found in reports.items() if str(found.get("network", "none")).startswith("none")]
    if missing and len(reports) > 1:
        said.append(f"{', '.join(missing)} cannot reach other hosts: {reports[missing[0]].get('network')}")
    return said


def main(arguments: argparse.Namespace) -> int:
    if arguments.answer:
        return answer()
    from rich.console import Console

    own = report()
    problems = [f"this host: {text}" for text in judge(own)]
    advice: list[str] = []
    result: dict[str, Any] = {"this": own, "hosts": {}}
    console = Console(highlight=False, quiet=arguments.json)
    console.print("[bold]this host[/bold]", soft_wrap=True)
    console.print(describe(own), soft_wrap=True, markup=False)
    if arguments.hosts or arguments.hostfile:
        names = doctor_hosts.names_of(arguments.hosts, arguments.hostfile)
        visits = doctor_hosts.visit_all(names, arguments)
        for visit in visits:
            result["hosts"][visit.name] = visit.as_dict()
            console.print(f"\n[bold]{visit.name}[/bold]", soft_wrap=True)
            console.print(visit.describe(), soft_wrap=True, markup=False)
            problems += [f"{visit.name}: {text}" for text in visit.problems()]
        reached = {visit.name: visit.report for visit in visits if visit.report is not None}
        problems += compare({"this host": own, **reached})
        advice = advise(reached)
        if len(reached) == len(names) and not any("broken" in found for found in reached.values()):
            outcome = doctor_hosts.try_job(names, arguments)
            result["job"] = outcome.as_dict()
            console.print(f"\n[bold]a job over all hosts[/bold]\n{outcome.describe()}", soft_wrap=True)
            problems += outcome.problems()
    result["problems"] = problems
    result["advice"] = advice
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        console.print("\n[bold]nothing to change[/bold]" if not problems else "\n[bold]to change[/bold]")
        for problem in problems:
            console.print(f"- {problem}", soft_wrap=True, markup=False)
        if advice:
            console.print("\n[bold]could be faster[/bold]")
        for text in advice:
            console.print(f"- {text}", soft_wrap=True, markup=False)
    return FAILED if problems else os.EX_OK
