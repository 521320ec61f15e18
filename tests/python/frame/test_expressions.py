# SPDX-License-Identifier: Apache-2.0
"""Text of `query`, `eval` and Arkouda's `apply` may come from strangers: it computes, and does nothing else."""

import functools
import os
import sys
import types

import numpy as np
import pandas as pd
import pytest

import atoll as ak
import atoll.arkouda as arkouda
import atoll.pandas as apd
from atoll.frame import col
from atoll.frame.expressions.allowed import NotAllowed

pytestmark = pytest.mark.usefixtures("one_session")

called = []


def touch(*args):
    """What no text may call."""
    called.append(args)
    return 1


def numbers():
    yield 1


class Thing:
    """An object of the caller's."""

    def __init__(self):
        self.limit = 2
        self.run = touch

    @property
    def computed(self):
        return touch()


running, thing, part = numbers(), Thing(), functools.partial(touch, 1)
settings = types.SimpleNamespace(limit=2)
frames = sys._getframe()

ESCAPES = [
    # attributes of Python's own
    "a.__class__", "().__class__.__bases__", "().__class__.__bases__[0].__subclasses__()", "(1).__class__",
    "''.__class__.__mro__[1]", "a.__init__.__globals__", "a._values", "a._index", "a.str._of", "index._column",
    "a.mean.__func__", "@thing.__dict__", "@thing._x", "a.__reduce__()", "a.__array__()", "a.__getattribute__('b')",
    "[].__class__", "a.iloc[0].__class__", "a.dt.__class__", "(a > 1).__class__", "1 .__class__ == a",
    # Python's own names, and modules
    "@__builtins__", "@__builtins__['eval']('1')", "@__name__", "@__file__", "@__import__('os')", "__import__('os')",
    "__builtins__", "@os.system('true')", "@os.environ", "@np.load('x')", "@ak.shutdown()", "@sys.modules", "os",
    "@types.FunctionType", "@np.lib", "__local_os", "__local_os.environ", "__column_0", "__local___builtins__",
    "@frames.f_globals", "@running.gi_frame", "@running.gi_frame.f_builtins", "@touch.__globals__", "@touch.__code__",
    "@thing.run", "@thing.computed", "@part.func", "@ESCAPES.append(1)", "@called.append(1)", "@called.clear()",
    # calls
    "@touch()", "@touch(a)", "@thing.run()", "@part()", "a.map(@touch)", "a.apply(@touch)", "a.pipe(@touch)",
    "a.transform(@touch)", "a.agg(@touch)", "a.where(@touch)", "a.mask(@touch, 1)", "a.rolling(2).apply(@touch)",
    "a.groupby(@touch)", "t.str.replace('x', @touch, regex=True)", "a.rename(@touch)", "a.case_when([(@touch, 1)])",
    "eval('1')", "exec('1')", "open('x')", "getattr(a, 'b')", "print(a)", "type(a)", "globals()", "vars()",
    "compile('1', '', 'eval')", "breakpoint()", "(lambda: 1)()", "@Thing()", "a()", "(a)(1)", "'a'()",
    # files, and other things with effects
    "a.to_csv('x')", "a.to_pickle('x')", "a.to_frame().to_parquet('x')", "a.values.tofile('x')",
    "a.to_numpy().tofile('x')",
    "a.array.tofile('x')", "a.values.dump('x')", "a.to_json('x')", "a.to_hdf('x')", "a.to_sql('x', 'sqlite:///x')",
    "a.query('a')", "a.eval('a')", "a.plot()", "a.info()", "a.to_clipboard()", "a.set_axis([1])", "a.update(b)",
    "a.pop(0)", "a.values.setflags(write=True)", "@held.to_csv('x')", "@held.eval('1')", "@held.pop('a')",
    # formats
    "'{0.__class__}'.format(a)", "'{}'.format(a)", "'%s' % a.name", "'%1000000000d' % 1", "f'{a}'", "f'{a.__class__}'",
    "t.str.format(a)", "'x'.join(t)", "'{0}'.format_map(a)", "'x'.encode()", "'x'.translate({})",
    # syntax
    "lambda: 1", "[x for x in a]", "{x for x in a}", "{x: 1 for x in a}", "(x for x in a)", "(y := 1)", "a if b else c",
    "{'a': 1}", "{1}", "*a", "a.sum(*b)", "a.sum(**b)", "sqrt(a, out=b)", "a @ b", "a << 1", "a := 1", "yield 1",
    "await a", "import os", "a; b", "x = 1; y", "del a", "assert a", "a\nb", "a.b.c.d", "@", "@@os", "@1",
    # room and time
    "9 ** 9 ** 9 ** 9", "'a' * 10 ** 10", "[1] * 10 ** 10", "10 ** 10 ** 10", "2 ** 100000", "(1,) * 10 ** 9",
    "-" * 100_000 + "1", "(" * 500 + "a" + ")" * 500, "a" + "+1" * 100_000, "a" + ".b" * 100_000, "[" * 5000,
    "not " * 50_000 + "a", "a[" * 3000 + "0" + "]" * 3000,
]  # fmt: skip

REFUSED = (ValueError, NameError, NotImplementedError, SyntaxError, TypeError, KeyError, AttributeError, IndexError)
held = pd.DataFrame({"a": [1, 2]})


@pytest.fixture
def df():
    return ak.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "t": ["x", "y", "xy"]})


@pytest.mark.parametrize("text", ESCAPES, ids=lambda text: text[:40])
@pytest.mark.parametrize("how", ["query", "eval"])
def test_text_does_not_leave_the_expression(df, text, how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called.clear()
    with pytest.raises(REFUSED):
        getattr(df, how)(text)
    if how == "eval":
        with pytest.raises(REFUSED):
            df.eval("z = " + text)
    assert not called and os.listdir(tmp_path) == []


@pytest.mark.parametrize("text", ESCAPES, ids=lambda text: text[:40])
def test_text_over_variables_does_not_leave_the_expression(df, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called.clear()
    own = {"a": df.a, "b": df.b, "t": df.t, "index": df.index, "pd": pd}
    for one in {text, text.replace("@", "")} - {"os", "1"}:  # these only read
        for parser in ("pandas", "python"):
            with pytest.raises(REFUSED):
                apd.eval(one, parser=parser, local_dict=own)
    assert not called and os.listdir(tmp_path) == []


def test_text_over_variables_computes(df):
    limit, other = 2, pd.Series([1, 2, 3])
    assert (limit, len(other)) == (2, 3)
    assert apd.eval("df.a + limit").tolist() == [3, 4, 5]
    assert apd.eval("df.a > 1 & df.b < 2").tolist() == [False, True, False]
    assert apd.eval("(df.a > 1) & (df.b < 2)", parser="python").tolist() == [False, True, False]
    assert apd.eval("df['a'].sum() * limit", engine="python").item() == 12
    assert apd.eval("other + 1").tolist() == [2, 3, 4]
    assert apd.eval("x + y", local_dict={"x": 1}, resolvers=[{"y": 2}]) == 3
    assert apd.eval("sqrt(df.a * df.a)").tolist() == [1.0, 2.0, 3.0]
    made = apd.eval("c = df.a * 2\nd = c + 1", target=df)
    assert made.d.tolist() == [3, 5, 7] and "c" not in df.columns
    assert apd.eval("c = df.a * 2", target=df, inplace=True) is None and df.c.tolist() == [2, 4, 6]
    for text, error in (("c = 1", ValueError), ("", ValueError), ("1\n2", ValueError), ("nothing + 1", NameError),
                        ("@limit", SyntaxError)):  # fmt: skip
        with pytest.raises(error):
            apd.eval(text)
        with pytest.raises(error):
            pd.eval(text)
    with pytest.raises(KeyError, match="Invalid engine"):
        apd.eval("1", engine="fast")


LISTED = [
    ("a > 1 and b < 2", [1]), ("sqrt(a) > 1.5", [2]), ("t.str.contains('x')", [0, 2]), ("t.str.len() == 2", [2]),
    ("a.isin([1, 3])", [0, 2]), ("a == a.max()", [2]), ("a > @settings.limit", [2]), ("a > @thing.limit", [2]),
    ("a.shift(1) == 1", [1]), ("t == 'X'.lower()", [0]), ("a in @held.a", [0, 1]), ("a in @held['a']", [0, 1]),
    ("a >= @np_two", [1, 2]), ("t.str[0] == 'y'", [1]), ("index > a.min()", [2]), ("a.between(2, 3)", [1, 2]),
    ("a.rolling(2).sum() > 3", [2]), ("a.astype('float64') == 2", [1]), ("a > 2 ** 10 / 512", [2]),
    ("b.round().clip(0, 1) == 0", [0]), ("a == @date.day", [1]), ("`a` > 1 & t != 'y'", [2]), ("a > -(-1)", [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rows"), LISTED)
def test_text_computes(df, text, rows):
    np_two, date = np.int64(2), pd.Timestamp("2024-05-02")
    assert (np_two, date.day) == (2, 2)
    assert df.query(text).index.tolist() == rows


def test_functions_that_are_listed_are_called(df):
    called.clear()
    assert df.query("a > @touch(b)", local_dict={"touch": touch}).index.tolist() == [1, 2]
    assert len(called) == 1
    with pytest.raises(NotAllowed, match=r"cannot call @touch \(.*local_dict=\{'touch': touch\}\?"):
        df.query("a > @touch(b)")
    with pytest.raises(NotAllowed, match="begins with an underscore"):
        df.query("a.__class__")


LAMBDAS = [
    "lambda x: x.__class__", "lambda x: ().__class__", "lambda x: open('x')", "lambda x: __import__('os')",
    "lambda x: x.tofile('x')", "lambda x: touch(x)", "lambda x: [y for y in x]", "lambda x: (lambda: 1)()",
    "lambda x: f'{x}'", "lambda x: 'a' * 10 ** 10", "lambda x: 9 ** 9 ** 9", "lambda x: (y := x)", "lambda x, y: x",
    "lambda *x: x", "lambda **x: x", "lambda x=1: x", "lambda x=open('x'): x", "lambda: 1", "open", "print", "x", "1",
    "__import__('os').getpid", "touch", "(lambda x: x)(1)", "lambda x: np", "lambda x: np.load('x')", "lambda x: x[0]",
    "lambda x: os.system('true')", "lambda x: sqrt(x, out=x)", "lambda x: abs(*x)", "lambda x: np.random.x(1)", "",
    "lambda",
    "lambda x: x if True else __import__('os')", "lambda x: {x: 1}", "lambda x: yield", "lambda x: x.real",
    "lambda x: 1 << 10 ** 9", "lambda x: " + "-" * 100_000 + "x", "lambda x: x" + "+1" * 100_000, "lambda /, x: x",
    "lambda x: vars(touch)", "lambda x: np.frompyfunc(x, 1, 1)", "lambda x: print(x)", "lambda x: `x`",
]  # fmt: skip


@pytest.mark.parametrize("text", LAMBDAS, ids=lambda text: text[:40])
def test_text_of_apply_does_not_leave_the_expression(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called.clear()
    with pytest.raises((ValueError, SyntaxError)):
        arkouda.apply(arkouda.arange(3), text)
    assert not called and os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("lambda x: x * x + 1", [1, 2, 5]), ("lambda x: x if x > 1 else -x", [0, -1, 2]),
        ("lambda x: abs(x - 2)", [2, 1, 0]),
        ("lambda x: np.sqrt(x * x)", [0, 1, 2]), ("lambda v: max(v, 1)", [1, 1, 2]), ("lambda x: 2 ** x", [1, 2, 4]),
        ("lambda x: x > 0 and x < 2", [0, 1, 0]), ("lambda x: 7", [7, 7, 7]),
    ],
)  # fmt: skip
def test_text_of_apply_computes(text, values):
    assert arkouda.apply(arkouda.arange(3), text).tolist() == values


def test_expressions_have_no_end_to_go_through():
    with pytest.raises(TypeError, match="not iterable"):
        list(col("a") > 2)
    with pytest.raises(TypeError):
        ak.Series([1, 2]).filter(items=col("a") > 2)
