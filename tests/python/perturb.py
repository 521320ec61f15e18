# SPDX-License-Identifier: Apache-2.0
"""Wrong variants of an oracle's answer. A comparison that accepts one of them cannot fail, and so proves nothing."""

import datetime
import numbers
import warnings

import numpy as np
import pandas as pd


def variants(answer):
    """Yields (what was changed, answer with that changed), for each part of the answer that a comparison has to see."""
    if isinstance(answer, pd.DataFrame):
        yield from of_frame(answer)
    elif isinstance(answer, pd.Series):
        yield from of_series(answer)
    elif isinstance(answer, pd.Index):
        yield "one label less" if len(answer) else "one label more", answer[:-1] if len(answer) else pd.Index([0])
    elif isinstance(answer, np.ndarray) and answer.ndim:
        if answer.size:
            changed = answer.copy()
            changed[(-1,) * answer.ndim] = other(answer.flat[-1], answer.dtype)
            yield "the last element", changed
        yield "the shape", np.empty((*answer.shape, 2), dtype=answer.dtype)
    elif isinstance(answer, (list, tuple)):
        yield "one element more", type(answer)([*answer, object()]) if type(answer) in (list, tuple) else [*answer, 0]
        for place, one in enumerate(answer):
            for what, changed in variants(one):
                yield f"[{place}]: {what}", [*answer[:place], changed, *answer[place + 1 :]]
    elif isinstance(answer, dict):
        yield "one key more", {**answer, object(): 0}
        for key, one in answer.items():
            for what, changed in variants(one):
                yield f"[{key!r}]: {what}", {**answer, key: changed}
    else:
        yield "the value", other(answer)


def of_frame(frame):
    yield "one row less" if len(frame) else "one row more", frame.iloc[:-1] if len(frame) else frame.reindex([0])
    if frame.shape[1]:
        yield "one column less", frame.iloc[:, :-1]
        for what, changed in of_series(frame.iloc[:, -1]):
            if what == "the last value":
                yield f"the last column: {what}", pd.concat([frame.iloc[:, :-1], changed], axis=1)


def of_series(series):
    yield "one row less" if len(series) else "one row more", series.iloc[:-1] if len(series) else series.reindex([0])
    yield "the name", series.rename(f"{series.name}, changed")
    if len(series):
        values = series.astype(object)
        values.iloc[-1] = other(series.iloc[-1])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                values = values.astype(series.dtype)
        except (TypeError, ValueError, OverflowError, Warning):
            pass  # the dtype has no such value, as a category that is not listed: objects then
        yield "the last value", values


def other(value, dtype=None):
    """A value of the same type that is another one; where there is none, one of another type."""
    if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and value != value):
        return pd.Timestamp("1999-01-01") if value is pd.NaT else 77.0
    if isinstance(value, (bool, np.bool_)):
        return type(value)(not value)
    if isinstance(value, str):
        return value + "~"
    if isinstance(value, (pd.Timestamp, datetime.datetime, datetime.date, np.datetime64)):
        return value + datetime.timedelta(days=1) if not isinstance(value, np.datetime64) else value + np.timedelta64(1)
    if isinstance(value, (pd.Timedelta, datetime.timedelta)):
        return value + datetime.timedelta(days=1)
    if isinstance(value, numbers.Number):
        if value == 0 or not np.isfinite(complex(value)):
            return type(value)(1)
        # Zero is too close to a denormal number, and value + 1 to a large one.
        return (
            type(value)(1 if abs(value) < 0.5 else 0)
            if isinstance(value, np.inexact | float | complex)
            else type(value)(0)
        )
    if isinstance(value, (list, tuple)):
        return [*value, 0]
    if isinstance(value, bytes):
        return value + b"~"
    return object()
