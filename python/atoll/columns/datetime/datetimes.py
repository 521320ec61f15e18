# SPDX-License-Identifier: Apache-2.0
"""Columns of datetimes: dates, and dates with a time of day, in a time zone or in none."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from .offsets import is_offset, moved
from .parts import Parts
from .tick import UNITS, Tick, tick_of, tzinfo_of
from .ticks import CLASSES


class Datetimes(Parts):
    """A column of datetimes with missing values. `ak.array` makes one of datetimes, `ak.to_datetime` of strings.

    Datetimes are integers of the column's unit ("s", "ms", "us", "ns"; "D" of dates) since 1970, in int64; with a
    time zone they are those of UTC, and show the zone's clock. Columns of different units go together in the finer one.
    Methods have pandas' `.dt` names and results, with and without `.dt` before them.

    Examples
    --------
    >>> import atoll as ak
    >>> import numpy as np
    >>> a = ak.array(np.array(["2026-11-24T12:30", "NaT"], "M8[s]"))
    >>> a
    datetimes(['2026-11-24 12:30:00', NaT], dtype=datetime64[s])
    >>> a + np.timedelta64(1, "h")
    datetimes(['2026-11-24 13:30:00', NaT], dtype=datetime64[s])
    >>> a < "2026-12-01"
    column([True, None], dtype=bool)
    """

    __slots__ = ()
    _letter = "M"
    _name = "datetimes"

    @property
    def kind(self) -> str:
        """The dtype, such as "datetime64[ns]" or "datetime64[us, Europe/Berlin]"."""
        return f"datetime64[{self._unit}{'' if self._zone is None else ', ' + self._zone}]"

    @property
    def tz(self) -> str | None:
        """The name of the time zone, None when there is none."""
        return self._zone

    def __add__(self, other: Any) -> Any:
        """Timedeltas, or steps of the calendar, added. OverflowError where 64 bits do not hold the sum."""
        return moved(self, other, 1) if is_offset(other) else super().__add__(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        """Subtracts datetimes (the result is a timedelta), timedeltas, or calendar offsets."""
        return moved(self, other, -1) if is_offset(other) else super().__sub__(other)

    def _arrow_type(self) -> Any:
        import pyarrow as pa

        return pa.timestamp(self._unit, self._zone)

    def to_arrow(self) -> Any:
        """A pyarrow array of timestamps (date32 of dates). With one PE it shares the column's memory, but for dates.

        Examples
        --------
        >>> import atoll as ak
        >>> import numpy as np
        >>> ak.array(np.array(["2026-11-24"], "M8[us]")).to_arrow().type
        TimestampType(timestamp[us])
        """
        if self._unit != "D":
            return super().to_arrow()
        import pyarrow as pa

        buffers = [self._bits(), pa.py_buffer(self._values.astype(np.int32).to_numpy())]
        return pa.Array.from_buffers(pa.date32(), self.size, buffers, null_count=self.null_count)

    def to_pandas(self) -> Any:
        """A pandas Series of datetime64, with the column's unit and zone; of dates with unit "s"."""
        import pandas as pd

        series = pd.Series((self.as_unit("s") if self._unit == "D" else self).to_numpy())
        return series if self._zone is None else series.dt.tz_localize("UTC").dt.tz_convert(self._zone)

    def to_list(self) -> list[Any]:
        """Dates or datetimes of Python; of nanoseconds NumPy's, but to the microsecond in a zone."""
        if self._zone is None:
            return self._objects()
        zone = tzinfo_of(self._zone)
        utc = self.to_numpy().astype("M8[us]").tolist()
        return [one and one.replace(tzinfo=datetime.UTC).astimezone(zone) for one in utc]

    tolist = to_list

    def _item(self, row: int) -> Any:
        return super()._item(row) if self._zone is None else self[row : row + 1]._like_valid().to_list()[0]

    def _texts(self, values: np.ndarray[Any, Any]) -> list[str]:
        if self._zone is not None:
            return [self._text_in_zone(int(value)) for value in values]
        per_day = UNITS["D"] // UNITS[self._unit]
        moments = values.view(self.dtype)
        if not (values % per_day).any():
            return np.datetime_as_string(moments.astype("M8[D]")).tolist()
        fits = next(
            unit for unit in UNITS if not (values % max(1, UNITS[unit] // UNITS[self._unit])).any() and unit != "D"
        )
        return [text.replace("T", " ") for text in np.datetime_as_string(moments.astype(f"M8[{fits}]"))]

    def _text_in_zone(self, value: int) -> str:
        assert self._zone is not None
        seconds, rest = divmod(value * UNITS[self._unit], UNITS["s"])
        try:
            shown = datetime.datetime.fromtimestamp(seconds, datetime.UTC).astimezone(tzinfo_of(self._zone))
        except (ValueError, OverflowError):
            return f"{np.array([seconds]).view('M8[s]')[0]}+00:00".replace("T", " ")
        text, offset = shown.isoformat(" ")[:19], shown.isoformat()[19:]
        digits = f"{rest:09}"
        digits = "" if rest == 0 else "." + digits[: 3 if rest % 1_000_000 == 0 else 6 if rest % 1_000 == 0 else 9]
        return text + digits + offset

    def _read(self, text: str) -> Tick:
        try:
            tick = tick_of(np.datetime64(text.strip())) if "+" not in text else None
        except (ValueError, OverflowError):
            tick = None
        if tick is None:
            tick = tick_of(datetime.datetime.fromisoformat(text))
        assert tick is not None
        if self._zone is not None and tick.zone is None and tick.value is not None:
            naive = np.array([tick.value]).view(f"M8[{tick.unit}]").astype("M8[us]").item()
            tick = tick_of(naive.replace(tzinfo=tzinfo_of(self._zone)))
            assert tick is not None
        return tick


CLASSES["M"] = Datetimes
