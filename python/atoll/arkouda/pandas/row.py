# SPDX-License-Identifier: Apache-2.0
"""One row of a data frame."""

from __future__ import annotations

import html
from collections import UserDict
from typing import Any

__all__ = ["Row"]


class Row(UserDict[str, Any]):
    """The values of a row by the names of their columns.

    Examples
    --------
    >>> from atoll.arkouda.pandas.row import Row
    >>> print(Row({"x": 10, "y": "a"}))
    keys    values
    ------  --------
    x       10
    y       a
    """

    def __str__(self) -> str:
        width = max([4, *(len(str(key)) for key in self.data)])
        values = [str(value) for value in self.data.values()]
        lines = [
            f"{'keys':<{width}}    values",
            f"{'-' * (width + 2)}  {'-' * max(8, *(len(one) for one in values), 8)}",
        ]
        lines += [f"{key!s:<{width}}    {value}" for key, value in zip(self.data, values, strict=True)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(str(key))}</td><td>{html.escape(str(value))}</td></tr>"
            for key, value in self.data.items()
        )
        return f"<table><thead><tr><th>keys</th><th>values</th></tr></thead><tbody>{rows}</tbody></table>"
