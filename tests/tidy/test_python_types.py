# SPDX-License-Identifier: Apache-2.0
"""The check of types counts `Any` in parameters and results, and finds a share that has grown."""

from __future__ import annotations

import python_types


def breaches(tmp_path, monkeypatch, at_most: float) -> list[str]:
    monkeypatch.setattr(python_types, "AT_MOST", {"parameters": at_most, "results": at_most})
    path = tmp_path / "a.py"
    path.write_text("def f(self: Any, a: Any, b: int) -> Any: ...\ndef g() -> int: ...\n")
    return list(python_types.check_types({"atoll.a": path}))


def test_finds_a_share_that_has_grown(tmp_path, monkeypatch):
    found = breaches(tmp_path, monkeypatch, 49.9)
    assert [one.split(" of ")[1].split(" ")[0] for one in found] == ["parameters", "results"]


def test_the_known_share_is_right(tmp_path, monkeypatch):
    assert breaches(tmp_path, monkeypatch, 50.0) == []
