# SPDX-License-Identifier: Apache-2.0
"""Banned phrases are found, counted, and reported with their replacement."""

from __future__ import annotations

import phrases


def test_a_phrase_beyond_its_count_is_named_with_its_place(monkeypatch):
    monkeypatch.setattr(phrases, "PHRASES", [(r"\bwhoever\b", "name the thread", 1)])
    texts = {"src/a.cpp": "// Whoever waits.\n", "docs/b.md": "one\nwhoever\n", "src/c.bin": "whoever"}
    (breach,) = phrases.breaches(texts)
    assert "2 uses, 1 are left" in breach
    assert "docs/b.md:2" in breach
    assert "name the thread" in breach


def test_a_phrase_within_its_count_is_no_breach(monkeypatch):
    monkeypatch.setattr(phrases, "PHRASES", [(r"\bwhoever\b", "name the thread", 1)])
    assert list(phrases.breaches({"src/a.cpp": "// whoever\n"})) == []


def test_the_glossary_may_quote_phrases(monkeypatch):
    monkeypatch.setattr(phrases, "PHRASES", [(r"\bwhoever\b", "name the thread", 0)])
    assert list(phrases.breaches({"docs/glossary.md": "whoever"})) == []
