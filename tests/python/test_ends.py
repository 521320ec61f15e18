# SPDX-License-Identifier: Apache-2.0
"""The end of the interpreter with work under way, and a second import of the package."""

import pytest
from built import needs_launcher
from test_faults import BEGIN, end, start

KINDS = ["embedded", "driver", pytest.param("spmd", marks=needs_launcher)]

OPEN_GENERATOR = (
    BEGIN
    + """
import pathlib, tempfile
folder = pathlib.Path(tempfile.mkdtemp() if session.kind != "spmd" else os.environ["FOLDER"])
ak.DataFrame({"k": ak.arange(2000) * 7 % 2000, "v": ak.arange(2000)}).to_parquet(folder / "rows")
plain = ak.scan_parquet(folder / "rows").batches()
rows = ak.scan_parquet(folder / "rows")
steps = rows.merge(rows, on="k").sort_values("k").batches()
assert len(next(plain)) == len(next(steps)) == 2000
"""
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_that_is_open_at_the_end_ends_silently(kind, tmp_path):
    assert end(start(kind, OPEN_GENERATOR, pes=2, FOLDER=str(tmp_path))) == (0, "", "")


AGAIN = (
    BEGIN
    + """
from atoll import frame as _
a, rows = ak.arange(10), ak.DataFrame({"x": ak.arange(10)})
a.sum()
for name in [name for name in sys.modules if f"{name}.".startswith("atoll.")]:
    del sys.modules[name]
import atoll as again
assert again is ak and again.DataFrame is type(rows)
assert (a + again.arange(10)).sum() == 90 and rows["x"].sum() == 45
assert again.init() is session
"""
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_import_gives_the_modules_of_the_first(kind):
    assert end(start(kind, AGAIN, pes=2)) == (0, "", "")


DAEMONS = (
    BEGIN
    + """
import atexit, threading, time
a = ak.arange(100_000).evaluate()

class Dies:
    def __init__(self): self.array = ak.arange(5000).evaluate()
    def __del__(self):
        try: self.array.sum()
        except RuntimeError as error: assert "shut down" in str(error)
        except TypeError: pass  # its module has gone before it

def work():
    try:
        while True: (a + 1).sum()
    except RuntimeError as error: assert "shut down" in str(error)

kept = Dies()
atexit.register(lambda: print(a.sum()))
for _ in range(3): threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
"""
)


@pytest.mark.parametrize("kind", ["embedded", "driver"])
@pytest.mark.parametrize("turn", [0, *(pytest.param(turn, marks=pytest.mark.slow) for turn in range(1, 10))])
def test_threads_in_operations_do_not_disturb_the_end(kind, turn):
    """They aborted the process in two of three ends: CPython unwinds threads that want the GIL then."""
    assert end(start(kind, DAEMONS, pes=2)) == (0, "4999950000\n", "")
