# SPDX-License-Identifier: Apache-2.0
"""Python functions on every PE."""

import everywhere_programs as programs
import numpy as np
import pyarrow as pa
import pytest

import atoll as ak
from atoll import _core
from atoll.arrays.array import expr_of, wrap
from atoll.columns.text.strings import texts_of
from atoll.session.everywhere import TEXT, everywhere, landed, once

pytestmark = pytest.mark.usefixtures("every_session")


def test_answers_stand_in_pe_order():
    assert everywhere(programs.answer, 7) == [(pe, 7) for pe in range(ak.pes())]
    assert once(programs.plain, 3) == 4


def test_an_error_anywhere_is_raised_and_the_session_goes_on():
    with pytest.raises(ZeroDivisionError, match="of PE 0"):
        everywhere(programs.fail, 0)
    with pytest.raises(KeyError):
        everywhere(programs.fail_with_key, ak.pes() - 1)
    with pytest.raises(RuntimeError, match="Unsendable: no way"):
        everywhere(programs.fail_unsendably)
    assert len(everywhere(programs.answer, 1)) == ak.pes()


def test_rows_of_arrays_are_seen_where_they_lie():
    a, words = ak.arange(50), ak.array([str(i) for i in range(50)])
    parts = everywhere(programs.rows, inputs=[expr_of(a), words._values])
    assert [x for part in parts for x in part[0]] == list(range(50))
    assert [x for part in parts for x in part[1]] == [str(i) for i in range(50)]


def test_rows_left_become_columns():
    answers, made = landed(programs.leave, (5,), [_core.DTYPES["float64"], _core.DTYPES["bool"], TEXT])
    assert answers == list(range(ak.pes()))
    rows = range(5 * ak.pes())
    assert wrap(made[0][0]).tolist() == [0 if i % 3 == 0 else i / 2 for i in rows]
    assert wrap(made[0][1]).tolist() == [i % 3 != 0 for i in rows]
    assert wrap(made[1][0]).tolist() == [i % 2 == 0 for i in rows] and made[1][1] is None
    assert texts_of(made[2][0], wrap(made[2][1])).to_list() == [None if i % 4 == 0 else f"ä{i}" for i in rows]


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(TypeError, match="do not fit"):
        landed(programs.leave_one, (pa.array([1], pa.int32()),), [_core.DTYPES["int64"]])
    with pytest.raises(ValueError, match="rows 0 to 2 of 1"):
        landed(programs.leave_one, (pa.array([1, 2]),), [_core.DTYPES["int64"]], rows=[1] * ak.pes())
    with pytest.raises(ValueError, match="1 rows, 2 are expected"):
        landed(programs.leave_one, (pa.array([1]),), [_core.DTYPES["int64"]], rows=[2] * ak.pes())
    assert np.array_equal(ak.arange(3).to_numpy(), [0, 1, 2])
