# SPDX-License-Identifier: Apache-2.0
"""What notebooks ask of arrays, frames, Series and groups: HTML, and names to complete."""

import pytest

import atoll as ak
import atoll.pandas as pd
from atoll.session import session as session_module

pytestmark = pytest.mark.usefixtures("two_sessions")


def frame():
    return pd.DataFrame({"city": ["Oslo", "<b>", "Oslo"], "n of": [1, 2, 3], 7: [1, 2, 3]})


def test_columns_are_completed():
    df = frame()
    assert df._ipython_key_completions_() == ["city", "n of", 7]
    assert "city" in dir(df)
    assert "n of" not in dir(df)
    assert {"groupby", "merge", "map_batches"} <= set(dir(df))
    several = pd.DataFrame({("a", "x"): [1], ("a", "y"): [2], ("b", "x"): [3]})
    assert several._ipython_key_completions_() == ["a", "b"]


def test_labels_and_groups_are_completed():
    row = pd.Series([1, 2], index=["left", "right"])
    assert row._ipython_key_completions_() == ["left", "right"]
    assert {"left", "right", "sum"} <= set(dir(row))
    long = pd.Series(range(1000))
    assert len(long._ipython_key_completions_()) == 100
    groups = frame().groupby("city")
    assert groups._ipython_key_completions_() == ["city", "n of", 7]
    assert {"city", "sum"} <= set(dir(groups))
    assert {"sum"} <= set(dir(frame()["city"].groupby([1, 1, 2])))


def test_html():
    df = frame()
    shown = df["city"]._repr_html_()
    assert "<td>&lt;b&gt;</td>" in shown
    assert "3 rows, dtype: str" in shown
    assert "<th>city</th>" in shown
    assert "2 groups of 3 rows" in df.groupby("city")._repr_html_()
    assert "<td>2</td>" in df.groupby("city")._repr_html_()
    assert "2 groups of 3 rows" in df["n of"].groupby(df["city"])._repr_html_()
    array = ak.arange(6).reshape(2, 3)._repr_html_()
    assert "shape (2, 3), dtype int64, 48 bytes" in array
    assert "array([[0, 1, 2]" in array
    long = pd.Series(range(10**6))._repr_html_()
    assert len(long.splitlines()) < 150
    assert "1000000 rows, dtype: int64, 8,000,000 bytes on" in long
    tall = pd.DataFrame({"a": ak.arange(1000)})._repr_html_()
    assert "<p>1000 rows × 1 columns, 8,000 bytes on" in tall
    assert "3 rows, dtype StringDType(), 37 bytes on" in ak.array(["<b>", "x", "y"])._repr_html_()
    assert "&lt;b&gt;" in ak.array(["<b>", "x", "y"])._repr_html_()


def test_card_of_the_session_links_to_its_dashboard():
    assert ak.session() is ak.init()
    assert "<code>ak.dashboard()</code> opens one" in ak.session()._repr_html_()
    session_module.show_dashboard(ak.session()._core, "http://127.0.0.1:1/?a&b")
    assert 'href="http://127.0.0.1:1/?a&amp;b"' in ak.session()._repr_html_()
    session_module.show_dashboard(ak.session()._core, "")
    assert "href" not in ak.session()._repr_html_()
