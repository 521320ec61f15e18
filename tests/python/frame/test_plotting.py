# SPDX-License-Identifier: Apache-2.0
"""Pictures show what NumPy counts; many rows become few things to draw."""

import numpy as np
import pytest

import atoll as ak

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from atoll.frame.display import plot as plotting

pytestmark = pytest.mark.usefixtures("one_session")


@pytest.fixture
def frame():
    rng = np.random.default_rng(5)
    data = {"x": rng.normal(size=30_000), "y": rng.random(30_000)}
    data["x"][::7] = np.nan
    return data, ak.DataFrame(data)


def test_histograms(frame):
    data, df = frame
    axes = df.plot.hist(bins=20)
    low, high = np.nanmin([*data["x"], *data["y"]]), np.nanmax([*data["x"], *data["y"]])
    edges = np.linspace(low, high, 21)
    for patch, name in zip(axes.patches, data, strict=True):
        values = data[name][~np.isnan(data[name])]
        np.testing.assert_array_equal(patch.get_data().values, np.histogram(values, edges)[0])
        assert patch.get_label() == name


def test_lines_of_few_and_of_many_rows(frame):
    data, df = frame
    few = df.y.head(5).plot()
    np.testing.assert_array_equal(few.lines[0].get_ydata(), data["y"][:5])
    many = df.y.plot()
    assert not many.lines
    heights = many.collections[0].get_paths()[0].vertices[:, 1]
    assert len(heights) < 3 * plotting.COLUMNS
    np.testing.assert_allclose([heights.min(), heights.max()], [data["y"].min(), data["y"].max()])


def test_points(frame):
    data, df = frame
    few = df.head(50).plot.scatter("x", "y")
    assert len(few.collections[0].get_offsets()) == 50
    shown = df.plot(x="x", y="y", kind="scatter").collections[0].get_array()
    np.testing.assert_allclose(np.expm1(shown.compressed()).sum(), (~np.isnan(data["x"])).sum())


def test_bars_and_what_cannot_be_drawn(frame):
    _, df = frame
    bars = ak.DataFrame({"k": ["a", "b"], "v": [1, 2]}).plot.bar(x="k", y="v")
    assert [one.get_height() for one in bars.patches] == [1, 2]
    assert [one.get_text() for one in bars.get_xticklabels()] == ["a", "b"]
    with pytest.raises(ValueError, match="30000 bars"):
        df.plot.bar()
    with pytest.raises(TypeError, match="no numeric data"):
        ak.DataFrame({"s": ["a"]}).plot.hist()
    with pytest.raises(ValueError, match="not a valid plot kind"):
        df.plot(kind="pie chart")
    matplotlib.pyplot.close("all")
