# SPDX-License-Identifier: Apache-2.0
"""Quantities of machine and experiment files: a number with a mandatory unit, and bounds."""

from __future__ import annotations

import re
from fractions import Fraction

from atoll.toml import LONGEST_TEXT, shown

LONGEST_PS = 10**15  # 1000 s
MOST_BYTES = 2**40
SLOWEST = 1000  # bytes per second
FASTEST_HZ = 10**6
MOST_PES = 2**24

TIMES = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12}
BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
BANDWIDTHS = {f"{unit}/s": bytes_ for unit, bytes_ in BYTES.items() if unit != "B"}
RATES = {"/s": 1, "k/s": 10**3, "M/s": 10**6, "G/s": 10**9}
FREQUENCIES = {"Hz": 1, "kHz": 10**3, "MHz": 10**6}
POWERS = {"mW": 1, "W": 10**3, "kW": 10**6}
ENERGIES = {"pJ": 1, "nJ": 10**3, "uJ": 10**6, "µJ": 10**6}

#: kind of quantity -> (its units, an example)
KINDS = {
    "time": (TIMES, "500 ns"),
    "bytes": (BYTES, "64 KiB"),
    "bandwidth": (BANDWIDTHS, "25 GB/s"),
    "rate": (RATES, "10 M/s"),
    "frequency": (FREQUENCIES, "100 kHz"),
    "power": (POWERS, "15 W"),
    "energy": (ENERGIES, "20 nJ"),
}


def quantity(text: object, kind: str) -> Fraction:
    """The value in the smallest unit of its kind (ps, B, B/s, /s, Hz, mW, pJ); ValueError with the accepted units.

    >>> quantity("1.5 us", "time")
    Fraction(1500000, 1)
    >>> quantity("500", "time")
    Traceback (most recent call last):
    ValueError: '500' has no unit. Write a number and one of ps, ns, us, µs, ms, s: "500 ns"
    """
    units, example = KINDS[kind]
    accepted = f'Write a number and one of {", ".join(units)}: "{example}"'
    if not isinstance(text, str):
        raise ValueError(f"{shown(text)} has no unit. {accepted}")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{shown(text)} is no number with a unit. {accepted}")
    match = re.fullmatch(r"\s*(-?[0-9][0-9_]*(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?)\s*([^\s0-9]\S*)?\s*", text)
    if match is None:
        raise ValueError(f"'{text}' is no number with a unit. {accepted}")
    if match[2] is None:
        raise ValueError(f"'{text}' has no unit. {accepted}")
    if match[2] not in units:
        raise ValueError(f"'{match[2]}' is no unit of a {kind}. {accepted}")
    value = Fraction(match[1].replace("_", "")) * units[match[2]]
    if value < 0:
        raise ValueError(f"'{text}' is below 0. {accepted}")
    return value


def picoseconds(text: object) -> int:
    value = round(quantity(text, "time"))
    if value > LONGEST_PS:
        raise ValueError(f"'{text}' is not accepted. Write a time of at most {LONGEST_PS // 10**12} s")
    return value


def picoseconds_of_rate(text: object, kind: str = "rate") -> int:
    """The interval between events of a rate."""
    value = quantity(text, kind)
    if value == 0:
        raise ValueError(f"'{text}' is a {kind} of 0: give one above 0")
    if round(10**12 / value) > LONGEST_PS:
        raise ValueError(f"'{text}' is not accepted. Write a {kind} of at least one in {LONGEST_PS // 10**12} s")
    if kind == "frequency" and value > FASTEST_HZ:
        raise ValueError(f"'{text}' is not accepted. Write a frequency of at most 1 MHz")
    return round(10**12 / value)


def femtoseconds_per_byte(text: object) -> int:
    value = quantity(text, "bandwidth")
    if value == 0:
        raise ValueError(f"'{text}' is a bandwidth of 0: give one above 0")
    if value < SLOWEST:
        raise ValueError(f"'{text}' is not accepted. Write a bandwidth of at least 1 kB/s")
    return round(10**15 / value)


def whole_bytes(text: object) -> int:
    value = quantity(text, "bytes")
    if value.denominator != 1:
        raise ValueError(f"'{text}' is no whole number of bytes")
    if value > MOST_BYTES:
        raise ValueError(f"'{text}' is not accepted. Write at most {MOST_BYTES // 2**30} GiB")
    return int(value)
