# SPDX-License-Identifier: Apache-2.0
"""CategoricalIndex: labels of few distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.ndarray import ndarray
from ...columns.categorical.categorical import Categorical
from ...columns.column import Column
from ..classes import define
from ..data.dtypes import cast, hiding_nan, to_list
from ..data.values import make
from ..display.format import texts_of
from .base import INDEX_CLASSES, index_of, make_index
from .index import Index
from .methods import extras_of, labels_repr, shown_label

if TYPE_CHECKING:
    from ...annotations import DTypeLike

#: So many categories are shown; of more their ends.
CATEGORIES = 10


class CategoricalIndex(Index):
    """Labels of few distinct values: `codes` and `categories`.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.CategoricalIndex([2, 1])
    CategoricalIndex([2, 1], categories=[1, 2], ordered=False, dtype='category')
    """

    __slots__ = ()
    _column: Categorical

    def __new__(
        cls, data: Any = None, categories: Any = None, ordered: Any = None, dtype: DTypeLike = None, copy: bool = False,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        name = getattr(data, "name", None) if name is None else name
        held = data._values if hasattr(data, "_values") and hasattr(data, "_index") else data
        held = held._values if hasattr(held, "_labels_of_index") else make([] if held is None else held)
        if dtype is not None:
            held = cast(held, dtype)
        if categories is not None and hasattr(categories, "_labels_of_index"):
            categories = categories._values
        if not isinstance(held, Categorical) or categories is not None:
            held = Categorical(hiding_nan(held), categories, ordered)
        elif ordered is not None:
            held = held.as_ordered() if ordered else held.as_unordered()
        return index_of(held, name)

    @property
    def codes(self) -> np.ndarray[Any, Any]:
        """For each label the number of its category, -1 of missing ones."""
        return self._column.codes.to_numpy()

    @property
    def categories(self) -> Any:
        """The categories, an index."""
        return make_index(self._column.categories)

    @property
    def ordered(self) -> bool:
        """Whether the categories have an order."""
        return bool(self._column.ordered)

    @property
    def inferred_type(self) -> str:
        """The dtype of the labels."""
        return "categorical"

    def map(self, mapper: object, na_action: str | None = None) -> Any:
        """Maps each label by a function, a dict or a Series; categorical when the mapped categories are distinct."""
        mapped = make_index(self.categories).map(mapper)
        if mapped.is_unique and not mapped.hasnans:
            return self._with(self._column.set_categories(mapped._values, rename=True))
        return mapped._take(make(self._column.codes.astype(np.int64)))._renamed(self.name)

    def equals(self, other: Any) -> bool:
        """Whether another has the same labels; of categories, the same ones."""
        held = getattr(other, "_column", None)
        if isinstance(held, Categorical):
            return bool(self._column.equals(held))
        return hasattr(other, "__len__") and self.size == len(other) and to_list(self._column) == list(other)

    def to_pandas(self) -> Any:
        """A pandas CategoricalIndex."""
        import pandas as pd

        return pd.CategoricalIndex(self._column.to_pandas().array, name=self.name)

    def __contains__(self, key: Any) -> bool:
        return self._column._code(key) >= 0 and bool((self._column == key).any())

    def __getattr__(self, name: str) -> Any:
        if name in _METHODS:
            found = getattr(self._column, name)

            def method(*args: object, **options: object) -> Any:
                made = found(*args, **options)
                return self._with(made) if isinstance(made, (Column, ndarray)) else made

            return method
        return super().__getattr__(name)

    def __repr__(self) -> str:
        held = to_list(self._column.categories)
        if any(isinstance(one, str) for one in held):
            texts = [repr(one) for one in held]
        else:
            texts = texts_of(self._column.categories)
        shown = texts if len(texts) <= CATEGORIES else [*texts[:5], "...", *texts[-5:]]
        extras = extras_of(self, f"categories=[{', '.join(shown)}]", f"ordered={self.ordered}", "dtype='category'")
        return labels_repr(
            type(self).__name__, self, self.size, extras, lambda part: map(shown_label, to_list(part._column))
        )


_METHODS = (
    "add_categories", "as_ordered", "as_unordered", "remove_categories", "remove_unused_categories",
    "rename_categories", "reorder_categories", "set_categories",
)  # fmt: skip

define(CategoricalIndex)
INDEX_CLASSES[Categorical] = "CategoricalIndex"
