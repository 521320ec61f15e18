# SPDX-License-Identifier: Apache-2.0
"""Einstein summation: sums of products over axes named by letters.

Each step takes two arrays, in the order of `einsum_path`. Their axes are brought to one order, that of the result's
letters and behind them those that are summed over; product and sum then are one pass without temporaries.
"""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array, as_array
from .creation import _check_order
from .dtypes import BOOL, DTYPE_OF, Casting, DTypeLike, check_cast, code_of, result_code
from .manipulation import matrix_transpose, transpose
from .products import into, matmul
from .reductions import reduce
from .views import Diagonal, step_into

if TYPE_CHECKING:
    from .ndarray import ndarray

__all__ = ["einsum", "einsum_path"]

_LETTERS = string.ascii_uppercase + string.ascii_lowercase


def einsum(
    *operands: Any, out: Any = None, dtype: DTypeLike = None, order: str = "K", casting: Casting = "safe",
    optimize: Any = True,
) -> Any:  # fmt: skip
    """Einstein summation: letters name axes; axes that are not in the result are summed over.

    Parameters
    ----------
    operands
        The subscripts ('ij,jk->ik', '...' for further axes) and the arrays; or each array followed by a list of numbers
        that name its axes, and perhaps the result's list.
    out : ndarray, optional
        Where to put the result.
    dtype : dtype, optional
        Compute in, and return, this type.
    order : {'K', 'A', 'C'}
        Elements are in C order whatever it is; "F" raises.
    casting : str
        Casting rule for the arrays.
    optimize : bool, str or list
        Method of choosing the order of contraction, as in NumPy; False: from the first array to the last.

    Examples
    --------
    >>> import atoll as ak
    >>> a = ak.arange(6).reshape(2, 3)
    >>> ak.einsum("ij,kj->ik", a, a)
    array([[ 5, 14],
           [14, 50]])
    >>> ak.einsum("ij->j", a)
    array([3, 5, 7])
    """
    _check_order(order)
    inputs, result, arrays = _parse(operands)
    code = result_code(*(one._expr.dtype for one in arrays)) if dtype is None else code_of(dtype)
    for one in arrays:
        check_cast(one._expr.dtype, code, casting if dtype is not None else "unsafe")
    sizes = _sizes(inputs, arrays)
    terms = [
        _own_diagonals(letters, array.astype(DTYPE_OF[code])) for letters, array in zip(inputs, arrays, strict=True)
    ]
    for step in _path(inputs, result, sizes, optimize):
        taken = [terms[place] for place in step]
        terms = [term for place, term in enumerate(terms) if place not in step]
        wanted = "".join(sorted(set("".join(letters for letters, _ in taken)) & set(
            result + "".join(letters for letters, _ in terms))))  # fmt: skip
        terms.append(_contract(taken, wanted if terms else result, sizes, code))
    answer = _arranged(*terms[0], result)
    if out is not None:
        return into(answer, out)
    return answer if answer.ndim else DTYPE_OF[code].type(answer.item())


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: Any = False) -> Any:
    """The order in which `einsum` contracts its arrays, and a table of the cost of each step, by NumPy's function.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.einsum_path("ij,jk,kl->il", ak.ones((2, 9)), ak.ones((9, 9)), ak.ones((9, 2)))[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    stand_ins = [np.broadcast_to(np.zeros((), one.dtype), one.shape) if isinstance(one, Array) else one
                 for one in operands]  # fmt: skip
    return np.einsum_path(*stand_ins, optimize=optimize, einsum_call=einsum_call)


# -- parsing --


def _parse(operands: tuple[Any, ...]) -> tuple[list[str], str, list[ndarray]]:
    """Letters of each array, with none for '...', the result's letters, and the arrays."""
    if not operands:
        raise ValueError("No input operands")
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), [as_array(one) for one in operands[1:]]
    else:
        text, arrays = _from_lists(operands)
    if not set(text) <= set(_LETTERS + ".,->"):
        raise ValueError(f"Character {next(c for c in text if c not in _LETTERS + '.,->')} is not a valid symbol.")
    left, arrow, right = text.partition("->")
    if "-" in left or ">" in left or "-" in right or ">" in right:
        raise ValueError("Subscripts can only contain one '->'.")
    parts = left.split(",")
    if len(parts) != len(arrays):
        raise ValueError(
            f"Number of einsum subscripts, {len(parts)}, must be equal to the number of operands, {len(arrays)}."
        )
    spare = "".join(letter for letter in _LETTERS if letter not in text)
    wide = 0
    for place, (part, array) in enumerate(zip(parts, arrays, strict=True)):
        missing = array.ndim - len(part.replace("...", "", 1))
        if "." in part.replace("...", "", 1):
            raise ValueError("Invalid Ellipses.")
        if missing < 0 or (missing and "..." not in part):
            raise ValueError(
                f"Einstein sum subscript {part} does not contain the correct number of indices for operand {place}."
            )
        wide = max(wide, missing if "..." in part else 0)
    more = spare[:wide]
    inputs = [part.replace("...", more[wide - (array.ndim - len(part) + 3) :] if "..." in part else "")
              for part, array in zip(parts, arrays, strict=True)]  # fmt: skip
    if arrow:
        result = right.replace("...", more, 1)
        if "." in result:
            raise ValueError("Invalid Ellipses.")
        for letter in result:
            if result.count(letter) > 1 or letter not in "".join(inputs):
                raise ValueError(f"Output character {letter} appeared more than once, or not in the input.")
        return inputs, result, arrays
    seen = left.replace("...", "").replace(",", "")
    return inputs, more + "".join(sorted(letter for letter in set(seen) if seen.count(letter) == 1)), arrays


def _from_lists(operands: tuple[Any, ...]) -> tuple[str, list[ndarray]]:
    given = list(operands)
    right = given.pop() if len(given) % 2 else None

    def letters(numbers: Sequence[Any]) -> str:
        return "".join("..." if one is Ellipsis else _LETTERS[one] for one in numbers)

    text = ",".join(letters(numbers) for numbers in given[1::2])
    return text if right is None else f"{text}->{letters(right)}", [as_array(one) for one in given[::2]]


def _sizes(inputs: list[str], arrays: list[ndarray]) -> dict[str, int]:
    """The length that each letter stands for; axes of length 1 broadcast."""
    sizes: dict[str, int] = {}
    for place, (letters, array) in enumerate(zip(inputs, arrays, strict=True)):
        for letter, length in zip(letters, array.shape, strict=True):
            known = sizes.get(letter, 1)
            if known != 1 and length not in (1, known):
                raise ValueError(
                    f"Size of label '{letter}' for operand {place} ({known}) does not match previous terms ({length})."
                )
            sizes[letter] = known if length == 1 else length
    return sizes


# -- contraction --


def _path(inputs: list[str], result: str, sizes: dict[str, int], optimize: Any) -> list[tuple[int, ...]]:
    if len(inputs) < 3:
        return [tuple(range(len(inputs)))]
    if optimize is False:
        return [(0, 1), *((0, len(inputs) - 1 - step) for step in range(1, len(inputs) - 1))]
    shapes = [tuple(sizes[letter] for letter in dict.fromkeys(letters)) for letters in inputs]
    text = ",".join("".join(dict.fromkeys(letters)) for letters in inputs) + "->" + result
    found = np.einsum_path(text, *(np.broadcast_to(0.0, shape) for shape in shapes),
                           optimize=optimize if optimize is not True else "greedy")[0]  # fmt: skip
    return [tuple(step) for step in found[1:]]


def _own_diagonals(letters: str, array: ndarray) -> tuple[str, ndarray]:
    """Takes the diagonal of axes with the same letter, so that each letter occurs once."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first, second = letters.index(letter), letters.rindex(letter)
            if array.shape[first] != array.shape[second]:
                raise ValueError(f"dimensions in operand for collapsing index '{letter}' don't match")
            others = [place for place in range(array.ndim) if place not in (first, second)]
            turned = transpose(array, (*others, first, second))
            array = step_into(turned, Diagonal(0), Diagonal(0).get(turned._read()), True)
            letters = "".join(letters[place] for place in others) + letter
    return letters, array


def _arranged(letters: str, array: ndarray, wanted: str) -> ndarray:
    """The axes in the order of `wanted`, with new ones of length 1 for letters that the array lacks."""
    turned = transpose(array, [letters.index(letter) for letter in wanted if letter in letters])
    lengths = iter(turned.shape)
    return turned.reshape([next(lengths) if letter in letters else 1 for letter in wanted])


def _contract(terms: list[tuple[str, ndarray]], wanted: str, sizes: dict[str, int], code: int) -> tuple[str, ndarray]:
    """The product of one or two arrays, summed over the letters that are not wanted."""
    present = set("".join(letters for letters, _ in terms))
    summed = "".join(sorted(present - set(wanted)))
    if len(terms) == 2 and summed and code != BOOL:
        matrices = _as_matrices(terms, wanted, summed, sizes)
        if matrices is not None:
            return matrices
    # The order of an array with all letters is kept: of the others, few axes or none change their places.
    order = next((letters for letters, _ in terms if set(letters) == present), wanted + summed)
    wanted = "".join(letter for letter in order if letter in wanted)
    arrays = [_arranged(letters, array, order) for letters, array in terms]
    product: Any = arrays[0]
    for array in arrays[1:]:
        product = product * array
    if not summed:
        return wanted, product.copy() if len(arrays) == 1 else product
    axes = tuple(order.index(letter) for letter in summed)
    kind, dtype = ("any", None) if code == BOOL else ("sum", DTYPE_OF[code])
    return wanted, as_array(reduce(kind, product, axes, dtype, None, False, None, True, False))


def _as_matrices(
    terms: list[tuple[str, ndarray]], wanted: str, summed: str, sizes: dict[str, int]
) -> tuple[str, ndarray] | None:
    """One matrix product, if each summed letter is in both arrays and each result letter in one; else None."""
    (mine, x), (other, y) = terms
    rows = "".join(letter for letter in wanted if letter in mine)
    columns = "".join(letter for letter in wanted if letter in other)
    full = all(array.shape[letters.index(letter)] == sizes[letter] for letters, array in terms for letter in letters)
    if not full or not set(summed) <= set(mine) & set(other) or set(rows) & set(columns) or not rows + columns:
        return None
    left, right = _matrix(mine, x, rows, summed), _matrix(other, y, columns, summed)
    # With a vector, a copy of the other array would cost more than the product.
    if not (rows and columns) and (x.dtype.kind != "f" or left is None or right is None):
        return None
    if left is None:
        left = _matrix(rows + summed, _arranged(mine, x, rows + summed), rows, summed)
    if right is None:
        right = _matrix(columns + summed, _arranged(other, y, columns + summed), columns, summed)
    product = matmul(left, matrix_transpose(right))
    return rows + columns, product.reshape([sizes[letter] for letter in rows + columns])


def _matrix(letters: str, array: ndarray, rows: str, columns: str) -> ndarray | None:
    """The array as a matrix of these rows and columns, if its axes have that order or the transpose's; else None."""
    if letters not in (rows + columns, columns + rows):
        return None
    lengths = [math.prod(array.shape[letters.index(letter)] for letter in part) for part in (rows, columns)]
    if letters == rows + columns:
        return array.reshape(lengths)
    return matrix_transpose(array.reshape(lengths[::-1]))
