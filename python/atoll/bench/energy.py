# SPDX-License-Identifier: Apache-2.0
"""Joules of processors and memory, by the RAPL counters that Linux shows if the processor has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/sys/class/powercap")


class NoEnergyError(Exception):
    """Energy cannot be measured here; the message gives the reason."""


@dataclass(frozen=True)
class Domain:
    """A counter in microjoules, which wraps to 0 after `most`."""

    name: str
    path: Path
    most: int

    def read(self) -> int:
        return int((self.path / "energy_uj").read_text())


def domains(folder: Path) -> list[Domain]:
    """Packages, and memory if it has a separate counter; subdomains of a package are included in it."""
    found = []
    for path in sorted(folder.glob("intel-rapl:*")):
        name = (path / "name").read_text().strip()
        if path.name.count(":") == 1 or name == "dram":
            found.append(Domain(name, path, int((path / "max_energy_range_uj").read_text())))
    return found


class Meter:
    """Measures all packages of this host, including other programs. NoEnergyError gives the reason if it cannot.

    Examples
    --------
    >>> from pathlib import Path
    >>> from atoll.bench.energy import Meter, NoEnergyError
    >>> try:
    ...     Meter(Path("/nowhere"))
    ... except NoEnergyError as reason:
    ...     print(reason)
    /nowhere has no counters of energy: virtual machines mostly do not show them
    """

    def __init__(self, folder: Path | None = None) -> None:
        folder = FOLDER if folder is None else folder
        try:
            self.domains = domains(folder)
            if not self.domains:
                raise NoEnergyError(f"{folder} has no counters of energy: virtual machines mostly do not show them")
            self.read()
        except PermissionError as error:
            raise NoEnergyError(f"{error.filename} may be read by root alone") from None
        except (OSError, ValueError) as error:
            raise NoEnergyError(f"{folder} cannot be read: {error}") from None

    def read(self) -> list[int]:
        return [domain.read() for domain in self.domains]

    def joules_since(self, before: list[int]) -> float:
        """Joules since these readings; correct if a counter has wrapped at most once."""
        pairs = zip(self.domains, before, self.read(), strict=True)
        return sum((now - then) % (domain.most + 1) for domain, then, now in pairs) * 1e-6
