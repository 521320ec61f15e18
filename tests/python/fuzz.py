# SPDX-License-Identifier: Apache-2.0
"""Random little programs, run line by line with NumPy and here, whose variables must stay the same.

A program is text, so that one that fails can be read, shortened and kept. By hand, for as long as you like:
python tests/python/fuzz.py --seconds 600 --pes 3 [--seed N]
"""

import random
import re
import warnings

import numpy as np

import atoll as ak

DTYPES = ["bool", "int8", "int16", "int64", "uint8", "uint32", "uint64", "float32", "float64"]
NAMES = ["a", "b", "c", "d"]
UNARY = [
    "absolute",
    "arccos",
    "arcsinh",
    "arctan",
    "bitwise_count",
    "cbrt",
    "ceil",
    "cos",
    "deg2rad",
    "exp",
    "expm1",
    "fabs",
    "floor",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "log1p",
    "logical_not",
    "negative",
    "positive",
    "rad2deg",
    "rint",
    "sign",
    "signbit",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
BINARY = [
    "add",
    "arctan2",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "divide",
    "equal",
    "float_power",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "greater",
    "heaviside",
    "hypot",
    "lcm",
    "left_shift",
    "less",
    "less_equal",
    "logaddexp",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "nextafter",
    "not_equal",
    "power",
    "remainder",
    "right_shift",
    "subtract",
]
PADS = ["constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum"]
#: Results whose last bits may differ from NumPy's; the variable then goes on with NumPy's.
INEXACT = re.compile(
    r"arc|cbrt|cos|rad|tan|hypot|recip|logadd|dot|matmul|inner|outer|interp|spac|modf|divmod|%|round|mean|"
    r"var|std|average|einsum|trapezoid|gradient|kron|j|angle|absolute|trace|quantile|percentile|median|exp|sqrt|log|sin|prod|linspace|/|\*\*|density|cumsum|sum"
)
#: Results in which 0.0 and -0.0 may lie in another order than NumPy's; the variable then goes on with NumPy's.
ZEROS = re.compile(r"sort|unique|max|min|fmax|fmin|clip|partition|ptp|set|union|intersect")

TARGET = re.compile(r"(?:m\.(?:add\.at|putmask|place|put|fill_diagonal|copyto)\()?([a-d])")
#: Lines that may cast floats to integers, or multiply zeros by infinities in BLAS's order.
TO_INTEGERS = re.compile(r"astype\(|\] = |\.at\(|fill|put|place|weights=|dot|inner|matmul|einsum|kron|copyto|choose|j")
#: Lines that may overflow on the way in NumPy, and do not here.
SUMMING = re.compile(r"einsum|trapezoid|gradient|trace|kron|j|prod|sum|mean|var|std|average|dot|matmul|inner|bin_edges")
#: Errors of NumPy's where there is an answer here: the program ends there.
ANSWERED = re.compile(
    r"boolean subtract|Cannot cast (array data|scalar) from dtype\('int64'\) to dtype\('uint|"
    r"boolean negative|ufunc '(multiply|divide)'.*dtype\('bool'\)|newaxis|"
    r"requires a 0 or 1-dim|with a sequence|read-only|Too many bins"
)
#: Errors here where NumPy answers: it wraps what `where` gets, ignores places in nothing, writes to read-only views.
REFUSED = re.compile(
    r"Python integer .* out of bounds|out of bounds for axis|input array from shape .*\b0\b|"
    r"read-only|not available|maximum supported"
)
#: Values that go where a mask is true. NumPy changes them on the way where both share memory.
TO_MASK = re.compile(r"([a-d])\[.*\] = ([a-d])$")


class Program:
    """Lines about the variables a to d, drawn from a seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def pick(self, *options):
        return self.r.choice(options)

    def v(self):
        return self.r.choice(NAMES)

    def number(self):
        return self.pick(
            "0", "1", "-1", "2", "3", "7", "-5", "0.5", "-2.25", "300", "True", "np.int64(2)", "np.float32(1.5)"
        )

    def dtype(self):
        return repr(self.r.choice(DTYPES))

    def shape(self):
        lengths = [self.r.choice([0, 1, 1, 2, 3, 4, 5, 7, 9]) for _ in range(self.r.choice([0, 1, 1, 1, 2, 2, 3]))]
        return "(" + "".join(f"{n}, " for n in lengths) + ")"

    def axis(self):
        return self.pick("None", "0", "0", "-1", "1", "2", "(0, 1)", "()")

    def slice(self):
        ends = [self.pick("", "", "0", "1", "2", "5", "-1", "-2", "-9", "30") for _ in range(2)]
        step = self.pick("", "", ":1", ":2", ":-1", ":-2", ":3")
        return f"{ends[0]}:{ends[1]}{step}"

    def key(self, v):
        one = self.pick
        part = lambda: one(self.slice(), self.slice(), one("0", "-1", "1", "2"), "None", "...")  # noqa: E731
        return one(
            self.slice(),
            self.slice(),
            part(),
            f"{part()}, {part()}",
            f"{part()}, {part()}, {part()}",
            f"{v} > 0",
            "True",
            "[0, -1]",
            "[]",
            f"[1, 0], {part()}",
            f"{part()}, [0, 0, -1]",
            "[[0], [1]]",
            "[0, 1], [1, 0]",
            f"{v} == {v}",
            "m.array([True, False])",
            f"[True, False, True], {part()}",
        )

    def create(self):
        values = lambda: ", ".join(self.pick("0", "1", "2", "3", "7", "100") for _ in range(self.r.randrange(9)))  # noqa: E731
        floats = ", ".join(
            self.pick("0.0", "-0.0", "1.5", "-2.0", "0.25", "3.0", "np.nan", "np.inf", "-np.inf", "1e300")
            for _ in range(self.r.randrange(9))
        )
        return self.pick(
            f"m.array([{values()}], dtype={self.dtype()})",
            f"m.array([{floats}], dtype={self.pick(repr('float32'), repr('float64'))})",
            f"m.arange({self.pick('12', '6', '24', '0, 30, 7', '5, -5, -2', '0, 3, 0.5')})",
            f"m.arange(24).reshape({self.pick('2, 3, 4', '4, 6', '24, 1', '1, 24', '3, -1', '2, 2, 2, 3')})",
            f"(m.arange({self.r.randrange(30)}) % 5 - 2).astype({self.dtype()})",
            f"m.zeros({self.shape()}, dtype={self.dtype()})",
            f"m.full({self.shape()}, {self.pick('1', '2', '3.5', '-1')})",
            f"m.linspace(0, {self.number()}, {self.r.randrange(6)})",
            f"m.eye({self.r.randrange(5)}, {self.r.randrange(1, 5)})",
            f"m.array({self.number()})",
        )

    def elementwise(self):
        v, w = self.v(), self.pick(self.v(), self.v(), self.number())
        left, right = (v, w) if self.r.random() < 0.8 else (w, v)
        return self.pick(
            f"{left} {self.pick('+', '-', '*', '/', '//', '%', '&', '|', '^', '<', '<=', '==', '!=', '>')} {right}",
            f"m.{self.r.choice(BINARY)}({left}, {right})",
            f"m.{self.r.choice(UNARY)}({v})",
            f"m.modf({v})[{self.pick('0', '1')}]",
            f"m.divmod({left}, {right})[0]",
            f"m.nan_to_num({v})",
            f"m.isclose({left}, {right})",
            f"m.clip({v}, {left}, {right})",
            f"m.full_like({v}, {right})",
            f"m.where({self.v()} > {self.number()}, {left}, {right})",
            f"m.clip({v}, {self.pick('0', '-1', 'None')}, {self.pick('2', '3.5', '1')})",
            f"{v}.astype({self.dtype()})",
            f"m.round({v}, {self.pick('0', '1')})",
            f"m.isin({v}, {v}.ravel()[::2])",
            f"m.isin({v} * 1.0, {self.v()})",
            f"m.select([{v} > 1, {v} < 0], [{left}, {right}], 3)",
            f"m.choose(m.absolute({v}).astype(int), [{left}, {right}], mode={self.pick(repr('wrap'), repr('clip'))})",
            f"m.frexp({v})[{self.pick('0', '1')}]",
            f"m.angle({v})",
            f"({v} + {self.pick('1j', '2', '1 - 2j')} * {w}).{self.pick('real', 'imag')}",
            f"m.absolute({v} + 1j * {self.v()})",
            f"({v} * 1j == {w})",
        )

    def reshaping(self):
        v = self.v()
        return self.pick(
            f"{v}.reshape(-1)",
            f"{v}.ravel()",
            f"{v}.T",
            f"{v}.flatten()",
            f"{v}.copy()",
            f"m.squeeze({v})",
            f"{v}.reshape({self.pick('1, -1', '-1, 1', '2, -1', '-1, 3', '3, 2, -1')})",
            f"m.flip({v}, {self.axis()})",
            f"m.expand_dims({v}, {self.pick('0', '1', '-1')})",
            f"m.moveaxis({v}, 0, -1)",
            f"m.swapaxes({v}, 0, -1)",
            f"m.broadcast_to({v}, {self.pick('(2, 3)', '(3, 4)', '(2, 1, 5)', f'(2, *{v}.shape)')})",
            f"m.roll({v}, {self.pick('1', '-2', '5')}, {self.pick('None', '0', '-1')})",
            f"m.concatenate([{v}, {self.v()}], axis={self.pick('0', 'None', '-1')})",
            f"m.stack([{v}, {v}], {self.pick('0', '-1')})",
            f"m.repeat({v}, {self.pick('2', '0', '3')}, {self.pick('None', '0', '-1')})",
            f"m.tile({v}, {self.pick('2', '(2, 2)', '0')})",
            f"m.insert({v}, {self.pick('0', '1', '-1', '[0, 1]')}, {self.number()}, {self.pick('None', '0', '-1')})",
            f"m.delete({v}, {self.pick('0', '-1', '[0, 1]', 'slice(1, 3)')}, {self.pick('None', '0', '-1')})",
            f"m.atleast_2d({v})",
            f"m.append({v}, {self.v()}, {self.pick('None', '0', '-1')})",
            f"m.{self.pick('vstack', 'hstack', 'column_stack')}([{v}, {self.v()}])",
            f"m.{self.pick('tril', 'triu')}({v}, {self.pick('0', '1', '-1')})",
            f"m.meshgrid({v}, {self.v()})[{self.pick('0', '1')}]",
            f"m.broadcast_arrays({v}, {self.v()})[0]",
            f"m.matrix_transpose({v})",
            f"m.split({v}, {self.pick('2', '[1, 3]')}, {self.pick('0', '-1')})[0]",
            f"m.ones_like({v})",
            f"m.diag({v}, {self.pick('0', '1', '-2')})",
            f"m.diagonal({v}, {self.pick('0', '1', '-1')}, {self.pick('0, 1', '-1, 0', '1, 2')})",
            f"m.rot90({v}, {self.pick('1', '2', '-1')})",
            f"m.resize({v}, {self.pick('5', '(2, 3)', '(0, 2)')})",
            f"m.pad({v}, {self.pick('1', '(2, 0)', '3')}, {self.pick(*map(repr, PADS))})",
            f"m.atleast_3d({v})",
            f"m.dstack([{v}, {self.v()}])",
            f"m.block([[{v}, {self.v()}], [{self.v()}, {v}]])",
            f"m.rollaxis({v}, -1)",
            f"m.kron({v}, {self.v()}.ravel()[:2])",
            f"m.{self.pick('tri', 'vander')}({self.r.randrange(5)} + m.size({v}) * 0)"
            if self.r.random() < 0.2
            else f"m.tril({v})",
            f"m.array_split({v}, {self.pick('2', '3')}, {self.pick('0', '-1')})[-1]",
        )

    def reduction(self):
        v = self.v()
        options = f", axis={self.axis()}"
        if self.r.random() < 0.3:
            options += ", keepdims=True"
        extra = self.pick("", "", "", ", initial=3", f", where={v} != 0", f", initial=1, where={v} > 0")
        name = self.pick(
            "sum",
            "prod",
            "min",
            "max",
            "any",
            "all",
            "mean",
            "var",
            "std",
            "nansum",
            "nanmax",
            "nanmin",
            "median",
            "count_nonzero",
            "nanmean",
            "nanvar",
            "ptp",
        )
        if name in ("sum", "prod", "min", "max", "nansum", "nanmax", "nanmin") or (
            name in ("any", "all", "mean", "var", "std") and "initial" not in extra
        ):
            options += extra
        if name in ("var", "std", "nanvar"):
            options += self.pick("", ", ddof=1", ", ddof=2", ", ddof=5")
        single = self.pick("None", "0", "-1", "1")
        w = self.v()
        return self.pick(
            f"m.{self.pick('dot', 'matmul', 'inner', 'outer', 'vdot')}({v}, {w}) + 0.0",
            f"m.average({v}, axis={single}, weights={self.pick('None', f'm.absolute({v}) + 1')})",
            f"m.{self.pick('nanargmin', 'nanargmax', 'nanprod', 'nanstd')}({v}, {single})",
            f"m.{name}({v}{options})",
            f"m.{name}({v}{options})",
            f"m.trace({v}, {self.pick('0', '1')})",
            f"m.trapezoid({v}, axis={self.pick('0', '-1')}) + 0.0",
            f"m.einsum('...i->...', {v})",
            f"m.einsum('ij,kj->ik', {v}, {w}) + 0.0",
            f"(m.sum({v} + 1j * {v}, axis={self.axis()})).imag",
            f"m.gradient({v} * 1.0, axis={self.pick('0', '-1')}) + 0.0",
            f"m.{self.pick('argmin', 'argmax')}({v}, {single})",
            f"m.{self.pick('cumsum', 'cumprod', 'nancumsum', 'nancumprod')}({v}, {single})",
            f"m.percentile({v}, {self.pick('50', '[25, 90]', '0')}, axis={single})",
            f"m.nanpercentile({v}, {self.pick('50', '90')}, axis={single})",
        )

    def ordering(self):
        v = self.v()
        single = self.pick("None", "0", "-1", "1")
        return self.pick(
            f"m.sort({v}, {single})",
            f"m.argsort({v}, {single}, kind='stable')",
            f"m.unique({v})",
            f"m.unique({v}, return_counts=True)[1]",
            f"m.unique({v}, return_inverse=True)[1]",
            f"m.unique({v}, axis=0)",
            f"m.searchsorted(m.sort({v}, None), {self.v()})",
            f"m.nonzero({v})[0]",
            f"m.argwhere({v})",
            f"m.unravel_index(m.flatnonzero({v}), {v}.shape)[0]",
            f"m.packbits({v} > 0, {single})",
            f"m.apply_over_axes(m.max, {v}, 0)",
            f"m.sort({v} * 1j).imag",
            f"m.unique({v} + 1j).real",
            f"m.flatnonzero({v})",
            f"m.bincount(({v} > 0).ravel())",
            f"m.histogram({v}, bins={self.pick('3', '[0, 1, 5]')})[0]",
            f"m.histogram({v}, bins=2, range=(-2, 3), weights={v})[0]",
            f"m.diff({v}, {self.pick('1', '2')}, {self.pick('0', '-1')})",
            f"m.take({v}, {self.pick('0', '[0, -1]', '[]', '[[0], [1]]')}, {single})",
            f"m.compress([True, False, True], {v}, {single})",
            f"m.union1d({v}, {self.v()})",
            f"m.intersect1d({v} * 1.0, {self.v()} * 1.0) + 0.0",
            f"m.setdiff1d({v}, {self.v()})",
            f"m.digitize({v}, [0, 1, 3])",
            f"m.take_along_axis({v}, m.argsort({v}, -1, kind='stable'), -1)",
            f"m.extract({v} > 0, {v})",
            f"m.setxor1d({v} * 1.0, {self.v()} * 1.0)",
            f"m.interp({v}, [0, 1, 3], [5, 2, 9])",
            f"m.lexsort(({v}.ravel(), {v}.ravel()[::-1]))",
            f"m.histogram_bin_edges({v}, {self.pick('3', repr('sturges'), repr('sqrt'))})",
            f"m.trim_zeros({v}.ravel())",
            f"m.ediff1d({v}, to_end={self.number()})",
        )

    def line(self):
        v = self.v()
        chance = self.r.random()
        if chance < 0.12:
            return f"{v} = {self.create()}"
        if chance < 0.36:
            return f"{v} = {self.elementwise()}"
        if chance < 0.52:
            return f"{v} = {self.reshaping()}"
        if chance < 0.64:
            return f"{v} = {self.reduction()}"
        if chance < 0.74:
            return f"{v} = {self.ordering()}"
        if chance < 0.84:
            w = self.v()
            return f"{v} = {w}[{self.key(w)}]"
        if chance < 0.93:
            return f"{v}[{self.key(v)}] = {self.pick(self.number(), self.number(), self.v())}"
        if chance < 0.98:
            return f"{v} {self.pick('+', '-', '*', '|')}= {self.pick(self.number(), self.v())}"
        return self.pick(
            f"{v}.sort()",
            f"{v}.fill({self.number()})",
            f"m.add.at({v}, [0, 0, -1], np.uint8(3))",
            f"m.putmask({v}, {v} > 1, {self.number()})",
            f"m.put({v}, [0, -1], {self.number()})",
            f"m.fill_diagonal({v}, {self.number()})",
            f"m.copyto({v}, {self.pick('1', '2')}, where={v} > 0)",
            f"m.place({v}, {v} > 0, [2, 3])",
        )


def program(seed, length=16):
    draw = Program(seed)
    return [f"{name} = {draw.create()}" for name in NAMES] + [draw.line() for _ in range(length)]


class Different(Exception):
    pass


def _plain(value):
    return value.to_numpy() if isinstance(value, ak.ndarray) else np.asarray(value)


def _other_zeros(x, y):
    return x.dtype.kind == "f" and bool(((x == 0) & (np.signbit(x) != np.signbit(y))).any())


def _compare(theirs, ours, zeros=False):
    """'same', 'near' when only last bits differ, or with `zeros` the signs of zeros; else raises."""
    x, y = np.asarray(theirs), _plain(ours)
    wide = x.astype(np.float32) if x.dtype == np.float16 else x  # half precision does not exist here
    if wide.dtype != y.dtype or wide.shape != y.shape:
        raise Different(f"{x.dtype}{x.shape} with NumPy, {y.dtype}{y.shape} here:\n{x}\n{y}")
    if wide is not x:
        return "near"
    if np.array_equal(wide, y, equal_nan=wide.dtype.kind == "f"):
        return "near" if zeros and _other_zeros(wide, y) else "same"
    if wide.dtype.kind == "f":
        eps = float(np.finfo(x.dtype).eps)
        with np.errstate(all="ignore"):
            finite = np.isfinite(wide)
            scale = max(1.0, float(np.abs(wide[finite], dtype=np.float64).max(initial=0)))
        if np.allclose(
            wide[finite].astype(np.float64), y[finite].astype(np.float64), 1000 * eps, 1000 * eps * min(scale, 1e30)
        ) and np.array_equal(wide[~finite], y[~finite], equal_nan=True):
            return "near"
    raise Different(f"{x!r} with NumPy, here\n{y!r}")


def _out_of_integers(value):
    value = np.asarray(value)
    return value.dtype.kind == "f" and not bool(np.all((value >= 0) & (value < 100)))


def _is_large(value):
    value = np.asarray(value)
    return value.dtype.kind == "f" and bool((np.abs(value[np.isfinite(value)]) > 1e9).any())


def _overlap(one, other):
    return one is not None and other is not None and np.may_share_memory(one, other)


def _step(line, names):
    try:
        exec(line, names)
    except Exception as error:
        return error
    return None


def run(lines, seed=0):
    """Runs the program with both; Different tells what differed after which line."""
    look = random.Random(seed)
    theirs, ours = {"m": np, "np": np}, {"m": ak, "np": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, line in enumerate(lines):
            if TO_INTEGERS.search(line) and any(_out_of_integers(theirs[name]) for name in NAMES if name in theirs):
                continue  # what becomes of NaN and infinities is up to the processor
            if SUMMING.search(line) and any(_is_large(theirs[name]) for name in NAMES if name in theirs):
                continue
            put = TO_MASK.match(line)
            overlap = put is not None and _overlap(*(theirs.get(name) for name in put.groups()))
            expected, got = _step(f"{line}.copy()" if overlap else line, theirs), _step(line, ours)
            if got is None and expected is not None and ANSWERED.search(repr(expected)):
                return
            if expected is None and got is not None and REFUSED.search(str(got)):
                return
            if (expected is None) != (got is None):
                raise Different(f"line {number}: {line}\nNumPy: {expected!r}\nhere: {got!r}")
            for names in (theirs, ours):  # a result without axes may be a scalar or an array: from here on an array
                for name in NAMES:
                    if isinstance(names.get(name), np.generic):
                        names[name] = names["m"].array(names[name])
            target = TARGET.match(line).group(1)
            if target in theirs and ours[target].base is None and not theirs[target].flags.c_contiguous:
                theirs[target] = np.ascontiguousarray(theirs[target])  # NumPy may give a column of a whole
            every = number + 1 == len(lines)
            zeros = ZEROS.search(line) is not None
            inexact = zeros or INEXACT.search(line) is not None
            if not every and not inexact and look.random() < 0.6:
                continue
            for name in NAMES if every else target:
                try:
                    if name in theirs and _compare(theirs[name], ours[name], zeros) == "near":
                        x = np.array(theirs[name])
                        theirs[name] = x.astype(np.float32) if x.dtype == np.float16 else x
                        ours[name] = ak.array(theirs[name])
                except Different as error:
                    raise Different(f"line {number}: {line}\n{name}: {error}") from None


def shorten(lines, seed):
    """Fewer lines that still differ."""
    at = len(lines) - 1
    while at >= 0:
        rest = lines[:at] + lines[at + 1 :]
        try:
            run(rest, seed)
        except Different:
            lines = rest
        at -= 1
    return lines


def check(seed):
    """Runs the program of a seed; AssertionError with the shortest form of it that differs."""
    lines = program(seed)
    try:
        run(lines, seed)
    except Different:
        lines = shorten(lines, seed)
        try:
            run(lines, seed)
        except Different as error:
            raise AssertionError(f"seed {seed}:\n" + "\n".join(lines) + f"\n{error}") from None


def main():
    import argparse
    import time

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pes", type=int, default=1)
    given = parser.parse_args()
    ak.init(given.pes, 1)
    end, seed, failed = time.monotonic() + given.seconds, given.seed, 0
    while time.monotonic() < end:
        try:
            check(seed)
        except AssertionError as error:
            failed += 1
            print(error, "\n", flush=True)
        seed += 1
    print(f"seeds {given.seed} to {seed - 1} on {given.pes} PEs: {failed} differ")


if __name__ == "__main__":
    main()
