# SPDX-License-Identifier: Apache-2.0
"""Completions for frames, Series and groups in editors and notebooks: columns and labels besides methods."""

from __future__ import annotations

from typing import Any

#: Labels of a Series up to which they are offered, as in pandas.
MOST = 100


class FrameCompletion:
    """Columns are offered in brackets and, where they are names of Python, as attributes."""

    __slots__ = ()

    def _ipython_key_completions_(self: Any) -> list[Any]:
        return _keys(self._labels)

    def __dir__(self: Any) -> list[str]:
        return sorted({*object.__dir__(self), *_attributes(self._labels.values)})


class SeriesCompletion:
    """Labels of few rows are offered in brackets and, where they are names of Python, as attributes."""

    __slots__ = ()

    def _ipython_key_completions_(self: Any) -> list[Any]:
        return self._index[:MOST].to_list() if self._index.nlevels == 1 else []

    def __dir__(self: Any) -> list[str]:
        labels = self._index[:MOST].to_list() if self._index.nlevels == 1 else []
        return sorted({*object.__dir__(self), *_attributes(labels)})


class GroupCompletion:
    """Columns of the rows that are grouped."""

    __slots__ = ()

    def _ipython_key_completions_(self: Any) -> list[Any]:
        return _keys(self._of._labels) if self._of.ndim == 2 else []

    def __dir__(self: Any) -> list[str]:
        labels = self._of._labels.values if self._of.ndim == 2 else []
        return sorted({*object.__dir__(self), *_attributes(labels)})


def _keys(labels: Any) -> list[Any]:
    return list(dict.fromkeys(one[0] if labels.nlevels > 1 else one for one in labels.values))


def _attributes(labels: Any) -> list[str]:
    return [one for one in labels if isinstance(one, str) and one.isidentifier()]
