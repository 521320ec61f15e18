# SPDX-License-Identifier: Apache-2.0
"""Files that pandas writes for frames replace the file of their name whole, or leave it."""

import errno
import os

import pandas
import pytest

import atoll.pandas as pd

pytestmark = [
    pytest.mark.usefixtures("one_session"),
    pytest.mark.filterwarnings("ignore::atoll.pandas.FallbackWarning"),
]


@pytest.fixture
def frame():
    return pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})


def test_a_write_of_pandas_that_fails_leaves_the_old_file(frame, tmp_path, monkeypatch):
    def fail(of, path, **options):
        with open(path, "w") as file:
            file.write("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for kind in (pandas.DataFrame, pandas.Series):
        monkeypatch.setattr(kind, "to_pickle", fail)
    path = tmp_path / "a.pkl"
    path.write_text("old")
    for one in (frame, frame.a):
        for write in (lambda of: of.to_pickle(path), lambda of: of.to_pickle(path=str(path))):
            with pytest.raises(OSError, match="No space left"):
                write(one)
            assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.pkl"]


def test_files_that_pandas_writes(frame, tmp_path):
    wanted = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    for name in ("a.pkl", "b.pkl.gz", "c.pkl.zip"):
        for _ in range(2):
            assert frame.to_pickle(tmp_path / name) is None
        pandas.testing.assert_frame_equal(pandas.read_pickle(tmp_path / name), wanted)
    (tmp_path / "mode.html").write_text("old")
    (tmp_path / "mode.html").chmod(0o640)
    frame.to_html(tmp_path / "mode.html", render_links=True)
    assert (tmp_path / "mode.html").read_text() == wanted.to_html(render_links=True)
    assert (tmp_path / "mode.html").stat().st_mode & 0o777 == 0o640
    (tmp_path / "link").symlink_to("d.dta")
    frame.to_stata(tmp_path / "link", write_index=False)
    assert (tmp_path / "link").is_symlink() and pandas.read_stata(tmp_path / "d.dta").b.tolist() == [0.5, 1.5]
    for _ in range(2):
        frame.to_csv(tmp_path / "more.csv", mode="a", header=False, escapechar="!")
    assert (tmp_path / "more.csv").read_text() == 2 * wanted.to_csv(header=False)
    with pytest.raises(OSError, match="no"):
        frame.to_pickle(tmp_path / "no" / "a.pkl")
    with pytest.raises(IsADirectoryError):
        frame.to_pickle(tmp_path)
    frame.to_pickle("/dev/null")
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]
