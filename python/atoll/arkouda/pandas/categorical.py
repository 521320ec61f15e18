# SPDX-License-Identifier: Apache-2.0
"""Arkouda's `Categorical`: codes, and the strings they stand for; the last one stands for what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import atoll

from ...columns.text.strings import Strings as _Texts
from ..core import client
from ..numpy.alignment import find
from ..numpy.arrays import pdarray
from ..numpy.choosing import where
from ..numpy.dtypes import Int
from ..numpy.pdarraycreation import array
from ..numpy.pdarraysetops import concatenate, in1d
from ..numpy.strings import Strings
from ..objects import LIFTED, Rows, checked, lift
from .groupbyclass import GroupBy, unique

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike

__all__ = ["Categorical"]


class Categorical(Rows):
    """A column of strings of which few are different: codes, and categories.

    Examples
    --------
    >>> import atoll.arkouda as ak
    >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
    >>> c.codes, c.categories
    (array([1 0 1]), array(['a', 'b', 'N/A']))
    >>> c == "b"
    array([True False True])
    """

    objType = "Categorical"
    BinOps = frozenset(("==", "!="))
    RequiredPieces = frozenset(("categories", "codes", "_akNAcode"))
    RegisterablePieces = frozenset(("categories", "codes", "permutation", "segments", "_akNAcode"))
    dtype = np.dtype(np.str_)
    segments: Any = None
    permutation: Any = None

    def __init__(self, values: Any, **kwargs: Any) -> None:
        if "codes" in kwargs and "categories" in kwargs:
            self.codes, self.categories = kwargs["codes"], kwargs["categories"]
            self.permutation, self.segments = kwargs.get("permutation"), kwargs.get("segments")
            if self.codes.size and (self.codes.min() < 0 or self.codes.max() >= self.categories.size):
                raise ValueError("Codes out of bounds for categories")
        elif isinstance(values, Categorical):
            self.codes, self.categories = values.codes, values.categories
            self.permutation, self.segments = values.permutation, values.segments
        elif isinstance(values, Strings) and values.size:
            groups = GroupBy(values)
            self.categories, self.codes = groups.unique_keys, lift(groups._number)
            self.permutation, self.segments = groups.permutation, groups.segments
        elif type(values).__module__.startswith("pandas") and hasattr(values, "codes"):
            self.categories = array(np.asarray(values.categories, dtype=object))
            self.codes = array(values.codes.astype("int64"))
        elif len(values) == 0:
            self.categories, self.codes = array([], dtype="str_"), array([], dtype="int64")
        else:
            raise ValueError("Categorical: inputs other than Strings or pd.Categorical not yet supported")
        self._settle_missing(kwargs)
        self.size, self.nlevels, self.ndim = self.codes.size, self.categories.size, 1
        self.shape = self.codes.shape
        _ = self.name

    def _settle_missing(self, kwargs: dict[str, Any]) -> None:
        if kwargs.get("_akNAcode") is not None:
            self._akNAcode = kwargs["_akNAcode"]
            self._NAcode = int(self._akNAcode[0])
            self.na_value = str(self.categories[self._NAcode])
            return
        self.na_value = kwargs.get("na_value", "N/A")
        place = self.categories == self.na_value
        if self.categories.size and bool(place.any()):
            self._NAcode = int(place._a.argmax())
        else:
            self.categories = Strings(atoll.concatenate([self.categories._a, atoll.strings([self.na_value])]))
            self._NAcode = self.categories.size - 1
        self._akNAcode = array([self._NAcode])

    @classmethod
    @checked(None, pdarray, "Strings")
    def from_codes(
        cls, codes: Any, categories: Any, permutation: Any = None, segments: Any = None, **kwargs: object
    ) -> Categorical:
        """The column of codes and what they stand for."""
        if codes.dtype.kind not in "iu":
            raise TypeError(f"Codes must be pdarray of int64, not {codes.dtype}")
        return cls(None, codes=codes, categories=categories, permutation=permutation, segments=segments, **kwargs)

    @classmethod
    def standardize_categories(cls, arrays: Sequence[Any], na_value: str = "N/A") -> list[Categorical]:
        """Several columns with the same categories."""
        for one in arrays:
            if not isinstance(one, cls):
                raise TypeError(f"All arguments must be {cls.__name__}")
        together = unique(concatenate([one.categories for one in arrays]))
        if not bool((together == na_value).any()):
            together = concatenate([together, array([na_value])])
        return [one.set_categories(together, na_value=na_value) for one in arrays]

    def set_categories(self, new_categories: Any, na_value: str | None = None) -> Categorical:
        """The column with other categories; values that are not among them are missing."""
        missing = self.na_value if na_value is None else na_value
        if not bool((new_categories == missing).any()):
            new_categories = concatenate([new_categories, array([missing])])
        places = find(self.categories, new_categories)
        gone = int((new_categories == missing)._a.argmax())
        places = where(places < 0, gone, places)
        return Categorical.from_codes(places[self.codes], new_categories, na_value=missing)

    def reset_categories(self) -> Categorical:
        """The column with the categories alone that it has."""
        kept = unique(self.codes)
        where_to = atoll.zeros(self.categories.size, dtype=np.int64)
        where_to[kept._a] = atoll.arange(kept.size)
        return Categorical.from_codes(lift(where_to[self.codes._a]), self.categories[kept], na_value=self.na_value)

    # -- what it is --

    inferred_type = property(lambda self: "categorical", doc='"categorical", as pandas\' indexes say.')

    @property
    def nbytes(self) -> int:
        """Bytes of its parts."""
        parts = (self.categories, self.codes, self.permutation, self.segments)
        return sum(one.nbytes for one in parts if one is not None)

    def _list_component_names(self) -> list[str]:
        parts = (self.codes, self.categories, self._akNAcode, self.permutation, self.segments)
        return [one.name for one in parts if one is not None]

    def __len__(self) -> int:
        return int(self.size)

    def __str__(self) -> str:
        if self.size <= client.pdarrayIterThresh:
            shown = self.tolist()
        else:
            shown = [*self[:3].tolist(), "... ", *self[-3:].tolist()]
        return f"[{', '.join(str(one) for one in shown)}]"

    def __repr__(self) -> str:
        return f"array({self})"

    def copy(self) -> Categorical:
        """Another one with the same parts."""
        parts = {
            key: None if one is None else one.copy()
            for key, one in (("permutation", self.permutation), ("segments", self.segments))
        }
        return Categorical.from_codes(
            self.codes.copy(), self.categories.copy(), _akNAcode=self._akNAcode.copy(), **parts
        )

    # -- values --

    def to_strings(self) -> Strings:
        """The strings."""
        if self.codes.size == 0:
            return array([], dtype="str_")
        return self.categories[self.codes]

    def to_ndarray(self) -> Any:
        """A NumPy array of strings."""
        return self.to_strings().to_ndarray()

    def tolist(self) -> list[str]:
        """A list of strings."""
        return self.to_strings().tolist()

    to_list = tolist

    def to_pandas(self) -> Any:
        """pandas' Categorical."""
        import pandas as pd

        return pd.Categorical.from_codes(codes=self.codes.to_ndarray(), categories=self.categories.tolist())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Int) and not isinstance(key, bool):
            return self.categories[self.codes[key]]
        return Categorical.from_codes(self.codes[key], self.categories, _akNAcode=self._akNAcode)

    def take(self, indices: ArrayLike, axis: int | None = None) -> Any:
        """The rows with these numbers."""
        return self[indices]

    def isna(self) -> pdarray:
        """Which values are missing."""
        return self.codes == self._NAcode

    # -- comparison --

    def _binop(self, other: Any, op: str) -> Any:
        if op not in self.BinOps:
            raise NotImplementedError(f"Categorical: unsupported operator: {op}. Use to_strings() or codes")
        if isinstance(other, str):
            place = self.categories == other
            found = self.codes == (int(place._a.argmax()) if bool(place.any()) else -1)
        elif isinstance(other, Categorical):
            if other.size != self.size:
                raise ValueError(f"Categorical {op}: size mismatch {self.size} {other.size}")
            found = self.to_strings() == other.to_strings()
        elif isinstance(other, Strings):
            found = self.to_strings() == other
        else:
            raise TypeError(f"Categorical {op} {type(other).__name__}: the other must be Categorical or str")
        return found if op == "==" else ~found

    def _r_binop(self, other: object, op: str) -> Any:
        return self._binop(other, op)

    def _spread(self, found: pdarray) -> pdarray:
        return found[self.codes]

    def contains(self, substr: Any, regex: bool = False) -> pdarray:
        """Whether a string is in each."""
        return self._spread(self.categories.contains(substr, regex))

    def startswith(self, substr: Any, regex: bool = False) -> pdarray:
        """Whether each begins with a string."""
        return self._spread(self.categories.startswith(substr, regex))

    def endswith(self, substr: Any, regex: bool = False) -> pdarray:
        """Whether each ends with a string."""
        return self._spread(self.categories.endswith(substr, regex))

    def in1d(self, test: Any) -> pdarray:
        """Which values are among others."""
        return in1d(self, test)

    # -- groups, order --

    def unique(self) -> Categorical:
        """The different values."""
        return Categorical.from_codes(unique(self.codes), self.categories, _akNAcode=self._akNAcode)

    def hash(self) -> tuple[pdarray, pdarray]:
        """128 bits of each value, as two arrays of uint64."""
        high, low = self.categories.hash()
        return high[self.codes], low[self.codes]

    def group(self) -> pdarray:
        """An order in which equal values are neighbours."""
        return self.permutation if self.permutation is not None else GroupBy(self.codes).permutation

    def _get_grouping_keys(self) -> list[Any]:
        return [self.codes]

    def _sort_key(self) -> Any:
        """Numbers in the order of the strings."""
        ranks = atoll.unique(self.categories._a, return_inverse=True)[1]
        return ranks[self.codes._a]

    def argsort(self, algorithm: Any = None, ascending: bool = True) -> pdarray:
        """The numbers of the rows in the order of the strings."""
        if self.size == 0:
            return array([], dtype="int64")
        order = lift(atoll.argsort(self._sort_key(), kind="stable"))
        return order if ascending else order[::-1]

    def sort_values(self) -> Categorical:
        """The values in order."""
        return self[self.argsort()]

    def concatenate(self, others: Any, ordered: bool = True) -> Categorical:
        """The values with those of others behind them."""
        return Categorical._concatenate([self, *others])

    @classmethod
    def _concatenate(cls, arrays: Sequence[Any]) -> Categorical:
        """Several columns, concatenated, with all their categories."""
        same = all(one.categories.equals(arrays[0].categories) for one in arrays[1:])
        alike = arrays if same else cls.standardize_categories(arrays, na_value=arrays[0].na_value)
        codes = concatenate([one.codes for one in alike])
        return cls.from_codes(codes, alike[0].categories, na_value=arrays[0].na_value)


def _of_column(column: Any) -> Any:
    """The column of strings of a few categories; of other categories the values themselves."""
    if not isinstance(column.categories, _Texts):
        return lift(column.apply(lambda categories: categories))
    codes = (
        column._values if column._valid is None else atoll.where(column._valid, column._values, column.categories.size)
    )
    words = atoll.concatenate([column.categories, atoll.strings(["N/A"])])
    return Categorical.from_codes(lift(codes.astype(np.int64)), lift(words))


LIFTED["Categorical"] = _of_column
