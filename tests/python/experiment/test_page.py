# SPDX-License-Identifier: Apache-2.0
"""The page and its parts: efficiency, axes, panels; it is complete and self-contained."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from fake import record

from atoll import cli
from atoll.experiment import svg
from atoll.experiment.page import render
from atoll.experiment.panels import panels
from atoll.experiment.results import Contents
from atoll.experiment.scaling import steps
from atoll.experiment.series import measured

TRIALS = (1.00, 1.02, 0.98, 1.01, 0.99)


def curve(times, **fields):
    """Records of one contender on 1, 2, 4 … PEs."""
    return [
        record(pes=2**number, seconds=[time * one for one in TRIALS], **{"size": 1000, **fields})
        for number, time in enumerate(times)
    ]


def test_efficiency_of_strong_and_weak_scaling():
    strong = steps(list(measured(curve([8.0, 4.0, 4.0])).values()), "strong")
    assert [step.efficiency.value for step in strong] == pytest.approx([1.0, 1.0, 0.5])
    assert [step.speedup.value for step in strong] == pytest.approx([1.0, 2.0, 2.0])
    assert strong[2].efficiency.low < 0.5 < strong[2].efficiency.high
    weak = steps(list(measured(curve([1.0, 1.0, 2.0])).values()), "weak")
    assert [step.efficiency.value for step in weak] == pytest.approx([1.0, 1.0, 0.5])
    assert [step.speedup.value for step in weak] == pytest.approx([1.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (0, 105, False, [0, 25, 50, 75, 100]),
        (0.9e-3, 2.2e-2, True, [1e-3, 2e-3, 5e-3, 1e-2, 2e-2]),
        (1e-7, 1e-2, True, [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]),
        (1.0, 1.5, True, [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]),
    ],
)
def test_axes_have_round_ticks(low, high, log, ticks):
    assert svg.Scale(low, high, 0, 100, log).ticks() == pytest.approx(ticks)


def test_panels_and_their_lines():
    sizes = [record(one, size=size, simd=level) for one in ("atoll", "numpy") for size in (10, 100) for level in "ab"]
    (panel,) = panels(sizes, "")
    assert panel.x_title == "elements"
    assert [curve.label for curve in panel.curves] == ["atoll, a", "atoll, b", "numpy, a", "numpy, b"]
    assert len({(curve.colour, curve.dash) for curve in panel.curves}) == 4
    found = panels([*curve([1, 1]), *curve([1, 1], threads=2), *curve([1, 1], size=7)], "strong")
    assert [(one.x_title, one.xs) for one in found] == [("PEs x threads", [1.0, 2.0, 4.0]), ("PEs", [1.0, 2.0])]
    weak = [record(size=100 * pes, pes=pes) for pes in (1, 2, 4)]
    (panel,) = panels(weak, "weak")
    assert panel.xs == [1, 2, 4]
    assert "100 per PE" in panel.what


def whole(text):
    """The page's text, after looking that it is well-formed and loads nothing."""
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)
    for chart in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(chart)
    body = text[text.index("<body>") : text.index("</html>")].replace("<meta", "<!--")
    ElementTree.fromstring(body)
    assert not re.search(r"\b(nan|inf)\b", body)
    return re.sub(r"<[^>]*>", "", body)


def head(**fields):
    return {"name": "one", "file": "one.toml", "text": '# <mine>\n[[sweep]]\nnames = ["sort"]', "date": "", **fields}


def test_a_page_of_scaling():
    records = [*curve([8.0, 4.0, 4.0]), *curve([9.0, 9.0, 9.0], contender="numpy")]
    page = render([Contents("-", head(title="A & B", scaling="strong"), records)])
    said = whole(page)
    assert "A &amp; B" in said
    assert "sort: 4 PEs are 2.00 times as fast as 1; parallel efficiency 50\u00a0% (" in said
    assert "Atoll is 1.79 times as fast as numpy (geometric mean of 3 points, 1.12 to 2.25)." in said
    assert "# &lt;mine&gt;" in said
    assert page.count('class="ideal"') == 3  # of time, of efficiency, and in the legend
    for word in ("abcdef012345", "here", "Machine and software", "atoll experiment run one.toml"):
        assert word in said


def test_a_page_of_bars_and_of_two_commits():
    records = [record(seconds=TRIALS, load_1m=9.0), record("numpy", seconds=TRIALS)]
    after = [{**one, "commit": "123456abcdef", "seconds": [2 * s for s in one["seconds"]]} for one in records[:1]]
    said = whole(render([Contents("-", {}, [*records, *after])]))
    assert "What changed between abcdef012345 and 123456abcdef" in said
    assert "slower: sort 1,000 int64 u64, 1 PE x 1 thread: 100% more time" in said
    assert "The machine was busy with other work (a load of 9.0 on 2 cores)" in said


def test_wide_intervals_do_not_squeeze_a_chart():
    line = svg.Line("a", "red", [svg.Mark(1, 1.0, 0.9, 1.1, ""), svg.Mark(2, 1.2, 1.1, 500.0, "")])
    text = svg.Chart([line], "x", "y", str, lambda v: f"{v:g}").render()
    drawn = [float(y) for y in re.findall(r'class="bounds".*?y2="([\d.]+)"', text)]
    assert min(drawn) == pytest.approx(svg.TOP)
    assert "500" not in text


def test_the_command_writes_a_page_and_shows_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    path = tmp_path / "results/one.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in curve([2.0, 1.0])))
    (tmp_path / "one.toml").write_text('title = "First"\n[[sweep]]\nnames = ["sort"]\nsize = [1, 2000]\n')
    (tmp_path / "bad.toml").write_text("sweep = 3\n")
    (tmp_path / "other.toml").write_text("[tool]\nx = 1\n")
    assert cli.main(["experiment", "page", str(path)]) == 0
    whole(path.with_suffix(".html").read_text())
    assert cli.main(["experiment", "list"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"one\.toml +First +2", out)
    assert re.search(r"bad\.toml +wrong: sweep: it must be \[\[sweep\]\] tables", out)
    assert "other.toml" not in out
    assert re.search(r"results/one\.jsonl .* here +abcdef012345", out)
    assert cli.main(["experiment", "show", "one.toml"]) == 0
    assert re.search(r"size +1 \| 2,000", capsys.readouterr().out)
    assert cli.main(["experiment", "show", str(path)]) == 0
    assert re.search(r"2 PEs +1 s +", capsys.readouterr().out)
    for words in (["show", "nowhere.toml"], ["page", "nowhere.jsonl"], ["list", "nowhere"], ["page", "one.toml"]):
        assert cli.main(["experiment", *words]) == cli.FAILED
        assert re.search(r"nowhere|one\.toml:1 is no record", capsys.readouterr().err)
