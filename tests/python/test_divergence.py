# SPDX-License-Identifier: Apache-2.0
"""PEs of an SPMD script that diverge: the error names both positions and explains SPMD."""

import re

import pytest
from built import needs_launcher
from test_faults import end, start

pytestmark = needs_launcher

RULE = "every PE of an SPMD script must call the same array operations with the same arguments in the same order"


def run(tmp_path, text, pes=3, **environment):
    """Status, output and errors of a script."""
    script = tmp_path / "script.py"
    script.write_text(text)
    where = ["--output", "all", "-n", str(pes), str(script)]
    return end(start("spmd", "", where=where, **environment))


def errors_of(text):
    """The RuntimeErrors, without what is before them."""
    return [line.partition("RuntimeError: ")[2] for line in text.splitlines() if line.startswith("RuntimeError: ")]


BRANCH = """import atoll as ak
a = ak.arange(1000).evaluate()
ak.barrier()
if ak.pe() == 0:
    print(a.sum())
"""


def test_an_operation_of_one_pe_alone_is_named(tmp_path):
    status, output, errors = run(tmp_path, BRANCH)
    assert status != 0 and output == ""
    [said] = errors_of(errors)
    assert RULE in said
    assert re.search(r"PE 0 in ndarray\.sum \(\S*script\.py:5: `print\(a\.sum\(\)\)`\)", said)
    assert "PEs 1, 2 at the end of the script" in said


def test_different_operations_are_named_on_both_pes(tmp_path):
    text = """import atoll as ak
a = ak.arange(1000).evaluate()
if ak.pe() == 1:
    b = ak.sort(a).evaluate()
else:
    b = a.sum()
ak.barrier()
"""
    status, _, errors = run(tmp_path, text, pes=2, ATOLL_PEER_TIMEOUT="20")
    assert status != 0
    found = errors_of(errors)
    assert found
    for said in found:
        assert RULE in said
        assert re.search(r"PE 0 in ndarray\.sum \(\S*script\.py:6: `b = a\.sum\(\)`\)", said)
        assert re.search(r"PE 1 in ak\.sort \(\S*script\.py:4: `b = ak\.sort\(a\)\.evaluate\(\)`\)", said)


CHECKED = """import atoll as ak
a = ak.arange(1000).evaluate()
b = ak.arange(1000).evaluate()
for step in range(3):
    x = a.sum()
    if step == 1 and ak.pe() == 1:
        x = b.sum()
    else:
        x = a.max()
try:
    a.sum()
except RuntimeError:
    pass
"""


def test_the_first_divergence_is_reported_before_it_happens(tmp_path):
    status, _, errors = run(tmp_path, CHECKED, ATOLL_SPMD_CHECK="1")
    assert status != 0
    found = errors_of(errors)
    assert len(found) == 3
    for said in found:
        assert RULE in said
        assert "script.py:9: `x = a.max()`" in said and "script.py:7: `x = b.sum()`" in said
        assert "PEs 0, 2 in ndarray.max" in said and "PE 1 in ndarray.sum" in said


def test_other_arguments_are_a_divergence_that_leaves_the_session_intact(tmp_path):
    text = """import atoll as ak
a = ak.arange(1000).evaluate()
b = ak.arange(1000).evaluate() + 1
for use in (lambda: (a if ak.pe() else b).sum(), lambda: ak.zeros(10 + ak.pe()).evaluate()):
    try:
        use()
    except RuntimeError as error:
        assert "with different arguments" in str(error), error
    else:
        raise AssertionError("no error")
assert a.sum() == 499500
print("intact", flush=True)
"""
    assert run(tmp_path, text, pes=2, ATOLL_SPMD_CHECK="1") == (0, "intact\n" * 2, "")


def test_the_check_leaves_a_script_alone_that_agrees(tmp_path):
    text = """import numpy as np
import atoll as ak
from atoll.session.everywhere import everywhere
rng = ak.random.default_rng(3)
a = rng.random(5000)
t = ak.DataFrame({"key": ak.arange(5000) % 7, "value": a, "text": np.array(["a", "bb"] * 2500)})
g = t.groupby("key").value.sum()
assert len(g) == 7
part = ak.from_local(np.arange(10 + ak.pe())) if hasattr(ak, "from_local") else None
a[a > 0.5] = 0
assert float(a.max()) <= 0.5
print(ak.sort(a)[0] >= 0, flush=True)
"""
    status, output, errors = run(tmp_path, text, ATOLL_SPMD_CHECK="1")
    assert (status, errors) == (0, "")
    assert output == "True\n" * 3


@pytest.mark.parametrize("leaves", ["os._exit(0)", "raise SystemExit(0)", "raise KeyError('just here')"])
def test_an_operation_names_pes_that_have_ended(tmp_path, leaves):
    text = f"""import os, time
import atoll as ak
a = ak.arange(1000).evaluate()
ak.barrier()
if ak.pe() != 0:
    {leaves}
time.sleep(0.5)
print(a.sum())
"""
    status, output, errors = run(tmp_path, text)
    assert status != 0 and output == ""
    assert re.search(r"PEs? [12]", errors), errors
    assert "script.py" in errors and "a.sum()" in errors


@pytest.mark.parametrize(
    "line", ["a = ak.array([1.0, 2.0, float(ak.pe())])", "a = ak.strings(['a', 'b' * (1 + ak.pe())])"]
)
def test_elements_that_differ_between_pes_are_reported(tmp_path, line):
    status, _, errors = run(tmp_path, f"import atoll as ak\n{line}\n", ATOLL_SPMD_CHECK="1")
    assert status != 0
    found = errors_of(errors)
    assert len(found) == 3
    assert all(f"script.py:2: `{line}`), with different arguments" in said for said in found), found


def test_errors_after_the_first_divergence_repeat_it(tmp_path):
    text = f"""import atoll as ak
a = ak.arange(1000).evaluate()
if ak.pe() == 0:
    ak.save("{tmp_path}/a.npy", a)
else:
    ak.sort(a).evaluate()
"""
    status, _, errors = run(tmp_path, text, ATOLL_SPMD_CHECK="1")
    assert status != 0
    found = errors_of(errors)
    assert len(found) == 4, errors  # PE 0 tells the others about its file: a second error
    assert all(": PE 0 in ak.save (" in said and "PEs 1, 2 in ak.sort (" in said for said in found), found
