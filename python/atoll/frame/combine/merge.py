# SPDX-License-Identifier: Apache-2.0
"""Joins of frames: by columns, by index, by both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...arrays.creation import asarray, full
from ...arrays.ndarray import ndarray
from ...arrays.selection import where
from ...columns.categorical.categorical import Categorical
from ...columns.column import as_column
from ...columns.functions.functions import concatenate
from ...columns.joins.equal import join
from ...columns.objects import Objects
from ..classes import frame, is_frame, is_series
from ..core import key_column
from ..data.column_labels import Labels
from ..data.dtypes import kind_of
from ..data.lazy import as_they_are, choose_rows
from ..data.values import gaps, is_scalar, make, take
from ..index.base import comparable, index_of, range_index
from ..index.lookup import duplicated
from ..index.sets import in_one_zone, with_labels
from ..select.sort import order_by
from .align import coalesced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...annotations import ArrayLike, Label

HOW = ("left", "right", "inner", "outer", "cross", "left_anti", "right_anti")
VALIDATE = {
    "one_to_one": (True, True), "1:1": (True, True), "one_to_many": (True, False), "1:m": (True, False),
    "many_to_one": (False, True), "m:1": (False, True), "many_to_many": (False, False), "m:m": (False, False),
}  # fmt: skip


def merge(
    left: Any, right: Any, how: str = "inner", on: object = None, left_on: object = None, right_on: object = None,
    left_index: bool = False, right_index: bool = False, sort: bool = False,
    suffixes: Sequence[str | None] = ("_x", "_y"),
    copy: bool | None = None, indicator: Any = False, validate: Any = None,
) -> Any:  # fmt: skip
    """The rows of two frames whose keys are equal, side by side.

    Parameters
    ----------
    left, right : DataFrame or named Series
        What is joined. Give the smaller one on the right: its keys go into a table that every PE has.
    how : {"inner", "left", "right", "outer", "cross", "left_anti", "right_anti"}
        Which rows stay that have no partner.
    on, left_on, right_on : label or list of labels
        Columns, or levels of the index, that are the keys; columns that both have, when none is named.
    left_index, right_index : bool
        The index as key.
    sort : bool
        Rows in order of the keys.
    suffixes : pair of str
        Behind labels that both frames have; None: as they are.
    indicator : bool or str
        A column that says where each row is from.
    validate : str
        ``one_to_one``, ``one_to_many``, ``many_to_one``: ValueError (MergeError) when keys repeat where they must not.

    Raises
    ------
    KeyError
        A key that is not there.
    ValueError
        Keys of kinds that cannot be equal; keys that are named twice, or not at all.
    MemoryError
        When the rows would not fit: found before they are made.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.DataFrame({"k": ["x", "y"], "a": [1, 2]})
    >>> b = ak.DataFrame({"k": ["y", "y"], "b": [3, 4]})
    >>> a.merge(b, on="k")
       k  a  b
    0  y  2  3
    1  y  2  4
    """
    left, right = _as_frame(left), _as_frame(right)
    if how not in HOW:
        raise ValueError(f"'{how}' is not a valid Merge type: {', '.join(HOW)}")
    if how == "cross":
        if on is not None or left_on is not None or right_on is not None or left_index or right_index:
            raise MergeError("Can not pass on, right_on, left_on or set right_index=True or left_index=True")
        rows = join(range_index(len(left))._values, range_index(len(right))._values, "cross")
        return beside(left, right, rows.left, rows.right, suffixes, {}, range_index(rows.left.size))
    if left_index and right_index:
        indexes = in_one_zone(left._index, right._index)
        left, right = (one._with_index(index) for one, index in zip((left, right), indexes, strict=True))
    left_keys, right_keys = _key_names(left, right, on, left_on, right_on, left_index, right_index)
    lefts, rights = _key_columns(left, left_keys), _key_columns(right, right_keys)
    for name, a, b in zip(left_keys, lefts, rights, strict=True):
        if not comparable(a, b) and not (isinstance(a, Objects) or isinstance(b, Objects)):
            raise ValueError(
                f"You are trying to merge on {kind_of(a)} and {kind_of(b)} columns for key {name!r}. "
                "If you wish to proceed you should use concat"
            )
    _validated(validate, lefts, rights)
    own, other = _rows(lefts, rights, how)
    shared = {a for a, b in zip(left_keys, right_keys, strict=True) if _is(a, b)}
    shared = {a for a in shared if a in left._labels.places and a in right._labels.places}
    keyed = [coalesced(a, own, b, other) for a, b in zip(lefts, rights, strict=True)]
    if sort or how == "outer":
        order = order_by(keyed, [True] * len(keyed))
        own, other = take(own, order), take(other, order)
        keyed = [take(one, order) for one in keyed]
    values = {a: one for a, one in zip(left_keys, keyed, strict=True) if not isinstance(a, _Level) and a in shared}
    index = _index(left, right, own, other, left_index, right_index, keyed, how)
    made = beside(left, right, own, other, suffixes, values, index)
    if indicator:
        _indicate(made, indicator, own, other)
    return made


class MergeError(ValueError):
    """Keys that a merge cannot use."""


class _Level:
    """The index, or a level of it, as a key."""

    __slots__ = ("level",)

    def __init__(self, level: object) -> None:
        self.level = level


def _is(a: ArrayLike, b: ArrayLike) -> bool:
    return not isinstance(a, _Level) and not isinstance(b, _Level) and is_label(a) and is_label(b) and a == b


def is_label(key: object) -> bool:
    """Whether a key is a label rather than values."""
    return is_scalar(key) or isinstance(key, tuple)


def _as_frame(one: Any) -> Any:
    if is_series(one):
        if one._name is None:
            raise ValueError("Cannot merge a Series without a name")
        return one.to_frame()
    if not is_frame(one):
        raise TypeError(f"Can only merge Series or DataFrame objects, a {type(one)} was passed")
    return one


def _listed(keys: object) -> list[Any]:
    return list(keys) if isinstance(keys, list) else [keys]


def _key_names(
    left: Any, right: Any, on: object, left_on: Any, right_on: Any, left_index: bool, right_index: bool
) -> tuple[list[Any], list[Any]]:
    if on is not None:
        if left_on is not None or right_on is not None:
            raise MergeError('Can only pass argument "on" OR "left_on" and "right_on", not a combination of both.')
        if left_index or right_index:
            raise MergeError(
                'Can only pass argument "on" OR "left_index" and "right_index", not a combination of both.'
            )
        return _listed(on), _listed(on)
    if left_index and left_on is not None:
        raise MergeError('Can only pass argument "left_on" OR "left_index" not both.')
    if right_index and right_on is not None:
        raise MergeError('Can only pass argument "right_on" OR "right_index" not both.')
    lefts = [_Level(level) for level in range(left._index.nlevels)] if left_index else left_on
    rights = [_Level(level) for level in range(right._index.nlevels)] if right_index else right_on
    if lefts is None and rights is None:
        common = [label for label in left._labels.values if label in right._labels.places]
        if not common:
            raise MergeError(
                "No common columns to perform merge on. Merge options: left_on=None, right_on=None, "
                f"left_index={left_index}, right_index={right_index}"
            )
        if not (left._labels.is_unique and right._labels.is_unique):
            raise MergeError(f"Data columns not unique: {common!r}")
        return common, common
    if lefts is None or rights is None:
        missing = "left" if lefts is None else "right"
        raise MergeError(f'Must pass "{missing}_on" OR "{missing}_index".')
    lefts, rights = _listed(lefts), _listed(rights)
    if len(lefts) != len(rights):
        raise ValueError("len(right_on) must equal len(left_on)")
    return lefts, rights


def _key_columns(of: Any, keys: list[Any]) -> list[Any]:
    columns = []
    for key in keys:
        if isinstance(key, _Level):
            columns.append(of._index._labels_of_index[key.level])
        elif is_label(key):
            columns.append(key_column(of, key))
        else:
            columns.append(key._values if is_series(key) else make(key))
    return columns


def _validated(validate: Any, lefts: list[Any], rights: list[Any]) -> None:
    if validate is None:
        return
    if validate not in VALIDATE:
        raise ValueError(f'"{validate}" is not a valid argument. Valid arguments are: {", ".join(VALIDATE)}')
    sides: tuple[tuple[list[Any], str], ...] = ((lefts, "left"), (rights, "right"))
    for unique, (columns, side) in zip(VALIDATE[validate], sides, strict=True):
        if unique and bool(duplicated(columns).any()):
            raise MergeError(f"Merge keys are not unique in {side} dataset; not a {validate.replace('_', '-')} merge")


def _engine(columns: list[Any]) -> Any:
    """Keys for the engine: missing ones are one key, as in pandas."""
    return columns if len(columns) > 1 else columns[0]


def _rows(lefts: list[Any], rights: list[Any], how: str) -> tuple[Any, Any]:
    """Row numbers of both sides, -1 where there is none. Missing keys are equal, as in pandas."""
    lefts, rights = _without_gaps(lefts, rights)
    if how in ("left_anti", "right_anti"):
        first, second = (lefts, rights) if how == "left_anti" else (rights, lefts)
        rows = join(_engine(first), _engine(second), "anti").left
        none = full(rows.size, -1)
        return (rows, none) if how == "left_anti" else (none, rows)
    found = join(_engine(lefts), _engine(rights), how)
    return found.left, found.right


def _without_gaps(lefts: list[Any], rights: list[Any]) -> tuple[list[Any], list[Any]]:
    """Columns with missing keys on both sides by numbers, in which these are a key like any other."""
    made: tuple[list[Any], list[Any]] = ([], [])
    for a, b in zip(lefts, rights, strict=True):
        gone = [not isinstance(one, ndarray) and one.valid is not None for one in (a, b)]
        if all(gone) and not isinstance(a, ndarray):
            if isinstance(a, Objects) or isinstance(b, Objects):
                numbers = Objects([*a.to_list(), *b.to_list()]).numbers()[0]
            else:
                numbers = as_column(concatenate([a, b])).numbers()[0]
            a, b = numbers[: a.size], numbers[a.size :]
        made[0].append(a)
        made[1].append(b)
    return made


def _index(
    left: Any, right: Any, own: Any, other: Any, left_index: bool, right_index: bool, keyed: list[Any], how: str
) -> Any:
    """The rows' labels: numbers, unless an index was the key."""
    if not (left_index or right_index):
        return range_index(own.size)
    if left_index and right_index:
        names = left._index._common_name(right._index) if left._index.nlevels == right._index.nlevels else [None]
        return with_labels(left._index, keyed, names)._named(names) if len(keyed) > 1 else index_of(keyed[0], names[0])
    of, rows = (right, other) if left_index else (left, own)
    gone = gaps(rows)
    if gone is None:
        return of._index._take(rows)
    second, rows_of_second = (left, own) if left_index else (right, other)
    if len(keyed) == 1 and second._index.nlevels == 1 and comparable(of._index._values, second._index._values):
        return index_of(coalesced(of._index._values, rows, second._index._values, rows_of_second), None)
    return range_index(own.size)


def beside(
    left: Any, right: Any, own: Any, other: Any, suffixes: Sequence[str | None], values: dict[Any, Any], index: object
) -> Any:
    """Columns of both sides at their rows; keys that both have once."""
    lefts, rights = left._labels.values, [label for label in right._labels.values if label not in values]
    both = set(lefts) & set(rights)
    if both and (suffixes is None or not any(suffixes)):
        raise ValueError(f"columns overlap but no suffix specified: {make(sorted(both, key=str))!r}")
    if not isinstance(suffixes, (tuple, list)) or len(suffixes) != 2:
        raise TypeError(
            f"Passing 'suffixes' as a {type(suffixes)}, is not supported. Provide 'suffixes' as a tuple instead."
        )

    def titled(label: Label, suffix: Any) -> Any:
        return f"{label}{suffix}" if label in both and suffix is not None else label

    titles = [titled(label, suffixes[0]) for label in lefts] + [titled(label, suffixes[1]) for label in rights]
    repeated = {title for title in titles if titles.count(title) > 1} - set(lefts) - set(rights)
    if repeated:
        raise MergeError(f"Passing 'suffixes' which cause duplicate columns {repeated} is not allowed.")
    left_columns = choose_rows(left._columns, own, gaps(own))
    right_columns = choose_rows(right._columns, other, gaps(other))
    held = [values.get(label, column) for label, column in zip(lefts, as_they_are(left_columns), strict=True)]
    pairs = zip(right._labels.values, as_they_are(right_columns), strict=True)
    held += [column for label, column in pairs if label not in values]
    names = left._labels.names
    return frame(held, Labels(titles, names) if titles else left._labels, index)  # none have the dtype of the left


def _indicate(made: Any, indicator: Any, own: Any, other: Any) -> None:
    label = indicator if isinstance(indicator, str) else "_merge"
    if label in made._labels.places:
        raise ValueError(f"Cannot use name of an existing column for indicator column: {label}")
    rows = asarray((own >= 0).astype("int64") + 2 * (other >= 0).astype("int64"))
    codes = where(rows == 0, 2, rows - 1)
    made._set_column(label, Categorical.from_codes(codes, ["left_only", "right_only", "both"]))


class Merging:
    """Joins, as methods of frames."""

    __slots__ = ()

    def merge(
        self: Any, right: object, how: str = "inner", on: object = None, left_on: object = None,
        right_on: object = None,
        left_index: bool = False, right_index: bool = False, sort: bool = False,
        suffixes: Sequence[str | None] = ("_x", "_y"),
        copy: bool | None = None, indicator: Any = False, validate: Any = None,
    ) -> Any:  # fmt: skip
        """Rows of two frames whose keys are equal; see `merge`.

        Parameters
        ----------
        right : DataFrame or Series
            The other frame.
        how : {'inner', 'left', 'right', 'outer', 'cross', 'left_anti', 'right_anti'}, default 'inner'
            Which rows the result has.
        on : label or list of labels, optional
            Key columns; those that both have unless given.
        left_on : label or list of labels, optional
            Key columns of this frame, where they differ from those of the other one.
        right_on : label or list of labels, optional
            Key columns of the other frame.
        left_index : bool, default False
            Whether the index of this frame is its key.
        right_index : bool, default False
            Whether the index of the other frame is its key.
        sort : bool, default False
            Whether rows are sorted by their keys.
        suffixes : pair of str, default ('_x', '_y')
            What is put behind names of columns that both have.
        copy : bool, optional
            No effect, as in pandas 3: the result shares memory until one of the two changes.
        indicator : bool or str, default False
            Whether a column says from which frame a row is; or the column's name.
        validate : str, optional
            'one_to_one', 'one_to_many' or 'many_to_one': a MergeError where keys repeat in spite of it.

        Examples
        --------
        >>> import atoll as ak
        >>> df = ak.DataFrame({"a": [1, 2, 3], "b": [4.0, None, 6.0]})
        >>> df.merge(ak.DataFrame({"a": [1, 3], "c": ["x", "y"]}), on="a")
           a    b  c
        0  1  4.0  x
        1  3  6.0  y
        """
        return merge(
            self, right, how, on, left_on, right_on, left_index, right_index, sort, suffixes, copy, indicator, validate
        )

    def join(
        self: Any, other: Any, on: Any = None, how: str = "left", lsuffix: str = "", rsuffix: str = "",
        sort: bool = False, validate: Any = None, suffixes: Any = None,
    ) -> Any:  # fmt: skip
        """Columns of another frame, or of several, by the labels of its rows.

        Parameters
        ----------
        other : DataFrame, Series or list of these
            What is joined.
        on : label or list of labels, optional
            Columns of this frame whose values are the other one's labels; the index unless given.
        how : {'left', 'right', 'inner', 'outer', 'cross'}, default 'left'
            Which rows the result has.
        lsuffix : str, default ''
            What is put behind names of columns of this frame that both have.
        rsuffix : str, default ''
            The same for the other frame.
        sort : bool, default False
            Whether rows are sorted by their labels.
        validate : str, optional
            'one_to_one', 'one_to_many' or 'many_to_one': a MergeError where keys repeat in spite of it.
        suffixes : pair of str, optional
            As `lsuffix` and `rsuffix`.

        Examples
        --------
        >>> import atoll as ak
        >>> ak.DataFrame({"a": [1, 2]}).join(ak.DataFrame({"b": [5]}, index=[1]))
           a    b
        0  1  NaN
        1  2  5.0
        """
        if isinstance(other, (list, tuple)):
            made = self
            for one in other:
                made = made.join(one, how=how, sort=sort)
            return made
        if (
            on is None
            and self._index.nlevels > 1
            and other._index.nlevels == 1
            and other._index.name in self._index.names
        ):
            on = [other._index.name]  # labels of one of the levels
        keys: dict[str, Any] = {"left_index": True} if on is None else {"left_on": on}
        return merge(
            self,
            other,
            how,
            **keys,
            right_index=True,
            sort=sort,
            suffixes=suffixes or (lsuffix, rsuffix),
            validate=validate,
        )
