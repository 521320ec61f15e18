# SPDX-License-Identifier: Apache-2.0
"""Every parameter of a function with NumPy's name changes the answer as NumPy's does: none is accepted and ignored."""

import inspect

import numpy as np
import pytest
from oracle import same

import atoll as ak

pytestmark = [pytest.mark.usefixtures("two_sessions"), pytest.mark.filterwarnings("ignore")]

X = np.array([[4.0, -1.5, 7.25, 0.5], [2.0, 9.0, -3.0, 0.25], [1.0, 6.0, 5.0, 8.0]])
V = np.array([3.0, 1.0, 7.0, 2.0, 5.0])
N = np.where(X == 9.0, np.nan, X)
I = np.array([3, 1, 2, 3, 0])  # noqa: E741
B = np.array([[True, False, True], [False, False, True]])
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
LOPSIDED = SQUARE + np.triu(np.ones((3, 3)), 1)
Z = X + 1j * X[::-1]
MASK = X > 1

#: Function -> its arguments; of the others they are X.
BASE = {
    **dict.fromkeys(("isclose",), (N, np.where(np.isnan(N), N, X + 1e-3))),
    "all": (~B[:, ::-1],),
    "any": (B,),
    **dict.fromkeys(("intersect1d", "setdiff1d", "setxor1d", "isin"), (I, [3, 5, 3])),
    **dict.fromkeys(("convolve", "correlate"), (V, [1.0, 2.0, 0.5])),
    **dict.fromkeys(("nanquantile",), (N, [0.33, 0.67])),
    "quantile": (X, [0.33, 0.67]),
    "percentile": (X, 33),
    **dict.fromkeys(("nanpercentile",), (N, 33)),
    **dict.fromkeys(("geomspace", "linspace", "logspace"), ([1.0, 2.0], [3.0, 9.0])),
    **dict.fromkeys(("full_like",), (X, 3)),
    **dict.fromkeys(("zeros", "ones", "empty"), ((2, 3),)),
    **dict.fromkeys(("array_split", "split"), (X.repeat(4, 0), 4)),
    **dict.fromkeys(("stack", "hstack", "vstack", "row_stack", "concatenate", "concat"), ([X, X + 1],)),
    **dict.fromkeys(("histogram", "histogram_bin_edges"), (V,)),
    **dict.fromkeys(("triu_indices", "tril_indices", "tri"), (3,)),
    **dict.fromkeys(("triu_indices_from", "tril_indices_from"), (SQUARE,)),
    **dict.fromkeys(("partition", "argpartition"), (X, 1)),
    **dict.fromkeys(
        ("linalg.cholesky", "linalg.tensorinv", "linalg.cond", "linalg.pinv", "linalg.matrix_rank"), (SQUARE,)
    ),
    **dict.fromkeys(("linalg.eigh", "linalg.eigvalsh"), (LOPSIDED,)),
    **dict.fromkeys(("fft.rfft2", "fft.rfftn", "fft.rfft", "fft.ihfft"), (X,)),
    **dict.fromkeys(
        (
            "fft.fft",
            "fft.ifft",
            "fft.irfft",
            "fft.hfft",
            "fft.fft2",
            "fft.ifft2",
            "fft.irfft2",
            "fft.fftn",
            "fft.ifftn",
            "fft.irfftn",
        ),
        (Z,),
    ),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), (5,)),
    **dict.fromkeys(
        (
            "nancumprod",
            "nancumsum",
            "nanargmax",
            "nanargmin",
            "nanmax",
            "nanmin",
            "nanmean",
            "nanmedian",
            "nanprod",
            "nansum",
            "nanstd",
            "nanvar",
        ),
        (N,),
    ),
    **dict.fromkeys(("unravel_index",), ([5, 7], (3, 4))),
    **dict.fromkeys(("corrcoef", "cov"), (X,)),
    "linalg.cross": (X[:, :3], X[:, 1:]),
    "linalg.lstsq": (X[:, :2], X[:, 3]),
    "linalg.matmul": (X, X.T),
    "linalg.multi_dot": ([X, X.T, X],),
    "linalg.outer": (V, V),
    "linalg.svd": (X,),
    "linalg.qr": (X,),
    "linalg.tensordot": (X, X.T),
    "linalg.tensorsolve": (np.eye(12).reshape(3, 4, 12) * 2, X),
    "linalg.diagonal": (X,),
    "linalg.trace": (X,),
    "linalg.vecdot": (X, X),
    "allclose": (X, X + 1e-3),
    "angle": (Z,),
    "append": (X, X),
    "arange": (5,),
    "array": ([[1, 2], [3, 4]],),
    "array_equal": (N, N),
    "average": (X,),
    "base_repr": (11,),
    "binary_repr": (5,),
    "bincount": (I,),
    "broadcast_to": (V, (2, 5)),
    "can_cast": ("f8", "f4"),
    "choose": (I % 3, [V, V + 1, V + 2]),
    "clip": (X,),
    "compress": ([True, False, True], X),
    "cross": (X[:, :3], X[:, 1:]),
    "delete": (X, 1),
    "diag": (SQUARE,),
    "diag_indices": (3,),
    "diagflat": (V,),
    "digitize": (V, [1.0, 2.0, 5.0]),
    "dot": (X, X.T),
    "ediff1d": (V,),
    "einsum": ("ij,kj->ik", X, X),
    "expand_dims": (X, 0),
    "eye": (3,),
    "fix": (X,),
    "format_float_positional": (1.25,),
    "format_float_scientific": (1.25,),
    "frombuffer": (b"abcdefgh" * 4,),
    "fromfunction": (lambda i, j: i + j, (2, 3)),
    "full": ((2, 3), 7),
    "gradient": (X,),
    "histogram2d": (V, V[::-1]),
    "histogramdd": (X,),
    "identity": (3,),
    "indices": ((2, 3),),
    "insert": (X, 1, 5.0),
    "interp": ([-5.0, 2.0, 9.0], V[[1, 3]], V[:2]),
    "lexsort": ([V, V[::-1]],),
    "mask_indices": (3, np.triu),
    "meshgrid": (V, V[:3]),
    "mintypecode": ("bF",),
    "moveaxis": (X, 0, 1),
    "nan_to_num": (np.array([np.nan, np.inf, -np.inf, 1.0]),),
    "outer": (V, V),
    "packbits": (B,),
    "pad": (X, 1),
    "polyder": (V,),
    "polyfit": (np.arange(5.0), V, 2),
    "polyint": (V,),
    "put_along_axis": (X, [[0]], 5.0, 0),
    "ravel_multi_index": (([1, 2], [3, 0]), (3, 4)),
    "real_if_close": (X + 1e-14j,),
    "repeat": (X, 2),
    "reshape": (X, (4, 3)),
    "roll": (X, 1),
    "rollaxis": (Z[None], 2),
    "searchsorted": (np.sort(V), V),
    "select": ([V > 3], [V]),
    "squeeze": (X[None, :, None],),
    "take": (X, [0, 1]),
    "take_along_axis": (X, np.array([[1]]), 1),
    "tensordot": (X, X.T),
    "trapezoid": (X,),
    "trim_zeros": (np.array([[0, 0, 1], [0, 1, 0], [0, 0, 0]]),),
    "unique": ([[3.0, 1, np.nan], [3, 1, 2]],),
    "unpackbits": (np.array([[2, 7], [23, 1]], np.uint8),),
    "unstack": (X,),
    "unwrap": (X,),
    "vander": (V,),
    "where": (V > 2,),
    "cumulative_sum": (V,),
    "cumulative_prod": (V,),
    "count_nonzero": (B,),
    "swapaxes": (X, 0, 1),
    "require": (X,),
    "asarray_chkfinite": (V,),
    "isposinf": ([np.inf, 1.0],),
    "isneginf": ([-np.inf, 1.0],),
    "round": (X * 1.337,),
    "around": (X * 1.337,),
    "diagonal": (X,),
    "linalg.vector_norm": (X,),
    "astype": (V, "f4"),
}

#: Parameter -> a value with which answers differ from the default's.
VALUES = {
    "axis": 0,
    "dtype": "float32",
    "keepdims": True,
    "ddof": 1,
    "correction": 1,
    "initial": 20.0,
    "where": MASK,
    "decimals": 1,
    "k": 1,
    "axes": (1, 0),
    "offset": 1,
    "axis1": 1,
    "mode": "wrap",
    "density": True,
    "bins": 3,
    "range": (1.0, 6.0),
    "rtol": 1.0,
    "atol": 1.0,
    "equal_nan": True,
    "norm": "ortho",
    "n": 3,
    "s": (2, 3),
    "num": 4,
    "endpoint": False,
    "retstep": True,
    "base": 2.0,
    "return_index": True,
    "return_inverse": True,
    "return_counts": True,
    "include_initial": True,
    "invert": True,
    "return_indices": True,
    "casting": "no",
    "rowvar": False,
    "bias": True,
    "hermitian": True,
    "sparse": True,
    "M": 2,
    "N": 3,
    "m": 2,
}
#: (function, parameter) -> a value of its own, alone or with other arguments by name.
OWN = {
    ("allclose", "equal_nan"): {"a": N, "b": N, "equal_nan": True},
    ("concat", "axis"): 1,
    ("concatenate", "axis"): 1,
    **{
        (name, "casting"): {"dtype": "f4", "casting": "no"}
        for name in ("concat", "concatenate", "hstack", "vstack", "row_stack", "stack")
    },
    ("all", "where"): np.array([False, True, False]),
    ("any", "where"): np.array([False, True, False]),
    ("angle", "deg"): True,
    ("arange", "dtype"): "float32",
    ("arange", "stop"): 9,
    ("arange", "step"): {"stop": 9, "step": 2},
    **{(name, "keepdims"): {"axis": 0, "keepdims": True} for name in ("quantile", "nanquantile", "average")},
    ("array", "ndmin"): 3,
    ("array_split", "axis"): 1,
    ("split", "axis"): 1,
    ("average", "weights"): X + 4,
    ("average", "returned"): True,
    ("base_repr", "base"): 7,
    ("base_repr", "padding"): 3,
    ("binary_repr", "width"): 9,
    ("bincount", "weights"): V,
    ("bincount", "minlength"): 9,
    ("can_cast", "casting"): "same_kind",
    ("choose", "mode"): {"a": I + 2, "mode": "wrap"},
    ("clip", "min"): 1,
    ("clip", "max"): 2,
    ("clip", "a_min"): {"a_min": 1, "a_max": 2},
    ("clip", "a_max"): {"a_min": None, "a_max": 2},
    ("convolve", "mode"): "valid",
    ("correlate", "mode"): "full",
    ("corrcoef", "y"): X[::-1],
    ("cov", "y"): X[::-1],
    ("cov", "fweights"): I[:4],
    ("cov", "aweights"): V[:4],
    ("cov", "ddof"): 0,
    ("cross", "axis"): {"a": X[:3, :3], "b": X[:, 1:], "axis": 0},
    ("cross", "axisa"): {"a": X[:3, :3], "axisa": 0},
    ("cross", "axisb"): {"b": X[:3, 1:], "axisb": 0},
    ("cross", "axisc"): 0,
    ("linalg.cross", "axis"): 0,
    ("cumulative_sum", "axis"): {"x": X, "axis": 0},
    ("cumulative_prod", "axis"): {"x": X, "axis": 0},
    ("diag_indices", "ndim"): 3,
    ("diagonal", "axis2"): {"axis1": 1, "axis2": 0},
    ("trace", "axis2"): {"axis1": 1, "axis2": 0},
    ("diff", "n"): 2,
    ("diff", "prepend"): 5.0,
    ("diff", "append"): 5.0,
    ("digitize", "right"): True,
    ("ediff1d", "to_end"): [9.0],
    ("ediff1d", "to_begin"): 9.0,
    ("einsum", "casting"): {"dtype": "f4", "casting": "no"},
    ("einsum", "dtype"): {"dtype": "f4", "casting": "unsafe"},
    ("eye", "M"): 2,
    ("eye", "k"): 1,
    ("format_float_positional", "precision"): 1,
    ("format_float_positional", "unique"): {"precision": 5, "unique": False},
    ("format_float_positional", "fractional"): {"precision": 2, "fractional": False},
    ("format_float_positional", "trim"): {"precision": 5, "unique": False, "trim": "-"},
    ("format_float_positional", "sign"): True,
    ("format_float_positional", "pad_left"): 5,
    ("format_float_positional", "pad_right"): 5,
    ("format_float_positional", "min_digits"): 5,
    ("format_float_scientific", "precision"): 1,
    ("format_float_scientific", "unique"): {"precision": 5, "unique": False},
    ("format_float_scientific", "trim"): {"precision": 5, "unique": False, "trim": "-"},
    ("format_float_scientific", "sign"): True,
    ("format_float_scientific", "pad_left"): 5,
    ("format_float_scientific", "exp_digits"): 4,
    ("format_float_scientific", "min_digits"): 5,
    ("frombuffer", "dtype"): "uint8",
    ("frombuffer", "count"): 2,
    ("frombuffer", "offset"): 8,
    ("full_like", "shape"): (2,),
    ("ones_like", "shape"): (2,),
    ("zeros_like", "shape"): (2,),
    ("full", "dtype"): "float32",
    **{(name, "axis"): -1 for name in ("geomspace", "linspace", "logspace")},
    ("gradient", "axis"): 1,
    ("gradient", "edge_order"): 2,
    ("histogram", "weights"): V,
    ("histogram2d", "weights"): V,
    ("histogramdd", "weights"): V[:3],
    ("histogram2d", "range"): [(1, 6), (2, 7)],
    ("histogramdd", "range"): [(1, 6)] * 4,
    ("histogramdd", "bins"): 3,
    ("insert", "axis"): 1,
    ("interp", "left"): -1.0,
    ("interp", "right"): -1.0,
    ("interp", "period"): 4,
    ("linalg.cholesky", "upper"): True,
    ("linalg.cond", "p"): 1,
    ("linalg.diagonal", "offset"): 1,
    ("linalg.eigh", "UPLO"): "U",
    ("linalg.eigvalsh", "UPLO"): "U",
    ("linalg.lstsq", "rcond"): 0.9,
    ("linalg.matrix_norm", "ord"): 1,
    ("linalg.matrix_rank", "tol"): 2.5,
    ("linalg.matrix_rank", "rtol"): 0.5,
    ("linalg.matrix_rank", "hermitian"): {"A": LOPSIDED * 1e-3, "hermitian": True, "tol": 2e-3},
    ("linalg.norm", "ord"): 1,
    ("linalg.pinv", "rcond"): 0.5,
    ("linalg.pinv", "rtol"): 0.5,
    ("linalg.pinv", "hermitian"): {"a": LOPSIDED, "hermitian": True},
    ("linalg.qr", "mode"): "r",
    ("linalg.svd", "full_matrices"): False,
    ("linalg.svd", "compute_uv"): False,
    ("linalg.svd", "hermitian"): {"a": LOPSIDED, "hermitian": True},
    ("linalg.tensordot", "axes"): 1,
    ("tensordot", "axes"): 1,
    ("linalg.tensorinv", "ind"): 1,
    ("linalg.tensorsolve", "axes"): None,
    ("linalg.trace", "offset"): 1,
    ("linalg.vecdot", "axis"): 0,
    ("linalg.vector_norm", "ord"): 1,
    ("mask_indices", "k"): 1,
    ("mintypecode", "typeset"): "GD",
    ("mintypecode", "default"): {"typechars": "b", "default": "f"},
    ("meshgrid", "indexing"): "ij",
    ("meshgrid", "sparse"): True,
    ("nan_to_num", "nan"): 3,
    ("nan_to_num", "posinf"): 3,
    ("nan_to_num", "neginf"): 3,
    ("packbits", "axis"): 1,
    ("packbits", "bitorder"): "little",
    ("pad", "mode"): "edge",
    ("partition", "axis"): 0,
    ("percentile", "weights"): {"weights": X + 4, "method": "inverted_cdf"},
    ("nanpercentile", "weights"): {"weights": X + 4, "method": "inverted_cdf"},
    ("quantile", "weights"): {"weights": X + 4, "method": "inverted_cdf"},
    ("nanquantile", "weights"): {"weights": X + 4, "method": "inverted_cdf"},
    **{(name, "method"): "higher" for name in ("percentile", "nanpercentile", "quantile", "nanquantile")},
    ("permute_dims", "axes"): (0, 1),
    ("transpose", "axes"): (0, 1),
    ("polyder", "m"): 2,
    ("polyint", "m"): 2,
    ("polyint", "k"): 5.0,
    ("polyfit", "rcond"): 0.5,
    ("polyfit", "full"): True,
    ("polyfit", "w"): [1, 2, 3, 4, 5.0],
    ("polyfit", "cov"): True,
    ("ravel_multi_index", "mode"): {"multi_index": ([7, 2], [3, 0]), "mode": "clip"},
    ("ravel_multi_index", "order"): "F",
    ("unravel_index", "order"): "F",
    ("real_if_close", "tol"): 1e-16,
    ("repeat", "axis"): 1,
    ("require", "dtype"): "f4",
    ("roll", "axis"): 1,
    ("rollaxis", "start"): 1,
    ("rot90", "k"): 2,
    ("rot90", "axes"): (1, 0),
    ("searchsorted", "side"): "right",
    ("searchsorted", "sorter"): {"a": V, "sorter": np.argsort(V)},
    ("select", "default"): 9.0,
    ("size", "axis"): 1,
    ("squeeze", "axis"): 0,
    ("stack", "axis"): 1,
    ("take", "mode"): {"indices": [7, 99], "mode": "wrap"},
    ("take", "axis"): 1,
    ("take_along_axis", "axis"): {"indices": np.array([[0]]), "axis": 0},
    ("trapezoid", "x"): V[:4],
    ("trapezoid", "dx"): 2.0,
    ("tri", "k"): -1,
    ("trim_zeros", "trim"): "f",
    ("trim_zeros", "axis"): 1,
    ("unique", "axis"): 1,
    ("unique", "equal_nan"): {"ar": [np.nan, np.nan], "equal_nan": False},
    ("unpackbits", "count"): 9,
    ("unpackbits", "bitorder"): "little",
    ("unpackbits", "axis"): 1,
    ("unwrap", "period"): 3.0,
    ("unwrap", "discont"): {"p": [0.0, 4.0, 8.5], "discont": 4.2},
    ("vander", "increasing"): True,
    ("vander", "N"): 2,
    ("nanmin", "where"): {"where": MASK, "initial": 30.0},
    ("nanmax", "where"): {"where": MASK, "initial": -30.0},
    **{(name, "where"): {"where": MASK, "initial": 3.0} for name in ("min", "max", "amin", "amax")},
    **{(name, "initial"): -30.0 for name in ("min", "amin", "nanmin")},
    **{(name, "mean"): np.float64(3.0) for name in ("std", "var", "nanstd", "nanvar")},
    ("where", "x"): {"args": (V > 2, V, -V)},
    ("where", "y"): {"args": (V > 2, V, V * 2)},
    ("count_nonzero", "axis"): 0,
    ("triu_indices", "m"): 4,
    ("tril_indices", "m"): 2,
    ("linalg.multi_dot", "out"): None,
    ("fft.fftshift", "axes"): 0,
    ("fft.ifftshift", "axes"): 0,
    ("fft.fftfreq", "d"): 2.0,
    ("fft.rfftfreq", "d"): 2.0,
    ("astype", "copy"): None,
    ("asarray_chkfinite", "dtype"): "f4",
    ("shares_memory", "max_work"): None,
    ("ptp", "axis"): 0,
    ("unstack", "axis"): 1,
    ("average", "axis"): 0,
    ("append", "axis"): 0,
    ("lexsort", "axis"): None,
    ("histogram_bin_edges", "weights"): None,
    ("linalg.matmul", "dtype"): None,
    ("linalg.vecdot", "dtype"): None,
}
#: What is a promise or a permission, or of no account for numbers in memory: no answer depends on it.
PROMISES = {
    "subok",
    "overwrite_input",
    "assume_unique",
    "device",
    "allow_pickle",
    "optimize",
    "einsum_call",
    "max_work",
    "sorted",
    "copy",
    "like",
}
#: What has one value, or a few of one meaning; another one is an error in NumPy or here, of these types.
ONLY = {
    "order": ("F", (ValueError, NotImplementedError)),
    "kind": ("bubble", (ValueError,)),
    "stable": (None, ()),
    "requirements": (["F"], (ValueError,)),
}
#: Functions that read, write, print, or change settings, which other tests look at.
ELSEWHERE = {
    "array_repr",
    "array_str",
    "copyto",
    "einsum_path",
    "empty",
    "empty_like",
    "fill_diagonal",
    "fromfile",
    "fromiter",
    "fromregex",
    "fromstring",
    "from_dlpack",
    "genfromtxt",
    "load",
    "loadtxt",
    "may_share_memory",
    "put",
    "put_along_axis",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "set_printoptions",
    "seterr",
    "shares_memory",
}


def functions():
    """Each function of ours that has NumPy's name, with the optional parameters that both have."""
    for prefix, ours, theirs in (("", ak, np), ("linalg.", ak.linalg, np.linalg), ("fft.", ak.fft, np.fft)):
        for name in sorted(getattr(ours, "__all__", None) or dir(ours)):
            mine, other = getattr(ours, name), getattr(theirs, name, None)
            if (
                name.startswith("_")
                or not inspect.isfunction(mine)
                or isinstance(other, (type, np.ufunc))
                or not callable(other)
            ):
                continue
            try:
                known = inspect.signature(other).parameters
            except ValueError:
                known = None
            for parameter, one in inspect.signature(mine).parameters.items():
                optional = one.default is not one.empty
                if optional and (known is None or parameter in known) and prefix + name not in ELSEWHERE:
                    yield prefix + name, parameter


def found(package, name, args, options):
    function = package
    for part in name.split("."):
        function = getattr(function, part)

    def own(value):
        if isinstance(value, np.ndarray) and package is ak and value.ndim:
            return ak.array(value)
        return type(value)(map(own, value)) if isinstance(value, (list, tuple)) else value

    return function(*map(own, args), **{key: own(value) for key, value in options.items()})


def given(name, parameter):
    """Arguments without the parameter and with it."""
    args = BASE.get(name, (X,))
    assert (name, parameter) in OWN or parameter in VALUES, "no value here tells whether the parameter is honoured"
    value = OWN.get((name, parameter), VALUES.get(parameter))
    options = dict(value) if isinstance(value, dict) else {parameter: value}
    if "args" in options:
        return None, options["args"], {}
    theirs = np
    for part in name.split("."):
        theirs = getattr(theirs, part)
    names = list(inspect.signature(theirs).parameters)
    changed = tuple(options.pop(names[place], arg) for place, arg in enumerate(args))
    same_arguments = all(one is other for one, other in zip(args, changed, strict=True))
    return args if same_arguments and len(options) == 1 else None, changed, options


def outcome(action):
    try:
        return action(), None
    except (TypeError, ValueError, IndexError) as error:
        return None, error


@pytest.mark.parametrize(("name", "parameter"), list(functions()), ids=str)
def test_parameter_is_honoured(name, parameter):
    if parameter in PROMISES or ((name, parameter) in OWN and OWN[name, parameter] is None):
        return
    if parameter in ONLY and (name, parameter) not in OWN:
        bad, errors = ONLY[parameter]
        if errors:
            with pytest.raises(errors):
                found(ak, name, BASE.get(name, (X,)), {parameter: bad})
        return
    if parameter == "out":
        expected = found(np, name, BASE.get(name, (X,)), {})
        out = ak.zeros(np.shape(expected), np.asarray(expected).dtype)
        assert found(ak, name, BASE.get(name, (X,)), {"out": out}) is out
        same(out, np.asarray(expected), 16)
        return
    plain, args, options = given(name, parameter)
    expected, error = outcome(lambda: found(np, name, args, options))
    got, mine = outcome(lambda: found(ak, name, args, options))
    if error is not None:
        assert mine is not None and isinstance(mine, type(error) if type(error).__module__ == "builtins" else TypeError)
        return
    assert mine is None, mine
    same(got, expected, 64)
    if plain is not None:
        before, error = outcome(lambda: found(np, name, plain, {}))
        assert error is not None or _differs(before, expected), "the value does not tell whether it was honoured"


def _differs(before, after):
    """Whether two answers of NumPy differ in type, shape or elements."""
    if isinstance(before, (tuple, list)) != isinstance(after, (tuple, list)):
        return True
    if isinstance(before, (tuple, list)):
        return len(before) != len(after) or any(map(_differs, before, after))
    first, second = np.asarray(before), np.asarray(after)
    if (first.dtype, first.shape) != (second.dtype, second.shape):
        return True
    return not np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
