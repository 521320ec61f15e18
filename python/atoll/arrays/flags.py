# SPDX-License-Identifier: Apache-2.0
"""ndarray.flags: the memory layout, as if the base were contiguous, and whether elements may be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .views import READ_ONLY, is_contiguous

if TYPE_CHECKING:
    from .array import Array

_SHORT = {
    "C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned",
    "X": "writebackifcopy", "B": "behaved", "CA": "carray", "FA": "farray",
}  # fmt: skip


class Flags:
    """NumPy's flags of an array, at the time of access."""

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether elements follow one another, the last axis fastest."""
        return is_contiguous(self._array)

    @property
    def f_contiguous(self) -> bool:
        """Whether elements follow one another, the first axis fastest."""
        return self._array.size == 0 or (sum(n != 1 for n in self._array.shape) <= 1 and self.c_contiguous)

    @property
    def contiguous(self) -> bool:
        """As `c_contiguous`."""
        return self.c_contiguous

    @property
    def fortran(self) -> bool:
        """As `fnc`."""
        return self.fnc

    @property
    def fnc(self) -> bool:
        """The first axis fastest, and not the last."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """One or the other."""
        return self.f_contiguous or self.c_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the array is no view."""
        return self._array.base is None

    @property
    def writeable(self) -> bool:
        """Whether elements may be assigned."""
        view = self._array._view
        return view is None or not any(isinstance(step, READ_ONLY) for step in view.steps)

    @property
    def aligned(self) -> bool:
        """Always."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """Never."""
        return False

    @property
    def behaved(self) -> bool:
        """Aligned and writeable."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Behaved and C-contiguous."""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Behaved and only Fortran-contiguous."""
        return self.writeable and self.fnc

    def __getitem__(self, name: str) -> bool:
        attribute = _SHORT.get(name, name.lower())
        if not hasattr(Flags, attribute) or attribute.startswith("_"):
            raise KeyError("Unknown flag")
        value: bool = getattr(self, attribute)
        return value

    def __eq__(self, other: object) -> bool:
        names = [name for name in _SHORT.values() if hasattr(other, name)]
        return len(names) == len(_SHORT) and all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # what it tells changes

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)
