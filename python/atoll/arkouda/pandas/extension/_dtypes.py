# SPDX-License-Identifier: Apache-2.0
"""Types of Arkouda's arrays in pandas' own objects: `pd.array([1, 2], dtype="ak_int64")`."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np
from pandas.api.extensions import ExtensionDtype, register_extension_dtype

__all__ = [
    "HOLDERS", "ArkoudaBigintDtype", "ArkoudaBoolDtype", "ArkoudaCategoricalDtype", "ArkoudaDtype",
    "ArkoudaFloat64Dtype", "ArkoudaInt64Dtype", "ArkoudaStringDtype", "ArkoudaUint8Dtype", "ArkoudaUint64Dtype",
    "of_data",
]  # fmt: skip

#: The class of arrays for each of Arkouda's kinds, `any` for all of them: each module puts its own here.
HOLDERS: dict[str, Any] = {}
_SPELLED = re.compile(r"(?:arkouda|ak)[._]?(\w+)")
_ALIASES = {"bool": "bool_", "str": "string", "str_": "string", "categorical": "category"}


class _ArkoudaBaseDtype(ExtensionDtype):  # type: ignore[misc]  # pandas has no types of its own
    """A type of Arkouda's; pandas calls it by a name with a prefix, so that plain names stay pandas' and NumPy's.

    Examples
    --------
    >>> from atoll.arkouda.pandas.extension import ArkoudaInt64Dtype
    >>> ArkoudaInt64Dtype.construct_from_string("ak_int64")
    ArkoudaInt64Dtype('int64')
    >>> ArkoudaInt64Dtype() == "ak.int64", ArkoudaInt64Dtype() == "ak.float64"
    (True, False)
    """

    _named: ClassVar[dict[str, type[_ArkoudaBaseDtype]]] = {}
    _is_boolean = False
    _is_numeric = False
    _is_string = False
    _numpy: Any = np.dtype("O")

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:  # one of its own: else a base of others
            _ArkoudaBaseDtype._named[cls.name] = cls
            register_extension_dtype(cls)

    @classmethod
    def construct_from_string(cls, string: str) -> Any:
        """The type of a name such as `ak_int64`, `ak.int64` or `arkouda.int64`; TypeError for others."""
        if not isinstance(string, str):
            raise TypeError(f"the name of a type is a str, not {type(string).__name__}")
        spelled = _SPELLED.fullmatch(string.lower())
        name = _ALIASES.get(spelled[1], spelled[1]) if spelled else ""
        if name not in cls._named:
            raise TypeError(f"Cannot construct a '{cls.__name__}' from '{string}'")
        return cls._named[name]()

    @property
    def numpy_dtype(self) -> Any:
        """What NumPy calls the type."""
        return self._numpy

    @property
    def type(self) -> Any:
        """The class of one value."""
        return self._numpy.type

    @property
    def kind(self) -> str:
        """NumPy's letter for the kind of values."""
        return str(self._numpy.kind)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class _Number(_ArkoudaBaseDtype):
    @classmethod
    def construct_array_type(cls) -> Any:
        """`ArkoudaArray`."""
        return HOLDERS["pdarray"]


class ArkoudaInt64Dtype(_Number):
    """Signed integers of 64 bits; what is missing is -1."""

    name = "int64"
    na_value = -1
    _is_numeric = True
    _numpy = np.dtype("int64")


class ArkoudaUint64Dtype(_Number):
    """Unsigned integers of 64 bits; what is missing is the greatest."""

    name = "uint64"
    na_value = int(np.iinfo(np.uint64).max)
    _is_numeric = True
    _numpy = np.dtype("uint64")


class ArkoudaUint8Dtype(_Number):
    """Unsigned integers of 8 bits; what is missing is the greatest."""

    name = "uint8"
    na_value = int(np.iinfo(np.uint8).max)
    _is_numeric = True
    _numpy = np.dtype("uint8")


class ArkoudaFloat64Dtype(_Number):
    """Real numbers; what is missing is NaN."""

    name = "float64"
    na_value = float("nan")
    _is_numeric = True
    _numpy = np.dtype("float64")


class ArkoudaBoolDtype(_Number):
    """Truth; what is missing is False."""

    name = "bool_"
    na_value = False
    _is_boolean = True
    _numpy = np.dtype("bool")


class ArkoudaBigintDtype(_Number):
    """Integers of any size; what is missing is -1."""

    name = "bigint"
    na_value = -1


class ArkoudaStringDtype(_ArkoudaBaseDtype):
    """Strings; what is missing is the empty one."""

    name = "string"
    na_value = ""
    _is_string = True
    _numpy = np.dtype("str_")

    @classmethod
    def construct_array_type(cls) -> Any:
        """`ArkoudaStringArray`."""
        return HOLDERS["Strings"]


class ArkoudaCategoricalDtype(_ArkoudaBaseDtype):
    """Strings of which few are different; the code of what is missing is -1."""

    name = "category"
    na_value = -1

    @classmethod
    def construct_array_type(cls) -> Any:
        """`ArkoudaCategorical`."""
        return HOLDERS["Categorical"]


@register_extension_dtype
class ArkoudaDtype(ExtensionDtype):  # type: ignore[misc]  # pandas has no types of its own
    """`dtype="ak"`: whichever of Arkouda's types fits the values."""

    name = "ak"
    type = object
    kind = "O"
    na_value = None

    @classmethod
    def construct_from_string(cls, string: str) -> Any:
        """The type of the name `ak`; TypeError for others."""
        if string != "ak":
            raise TypeError(f"Cannot construct a '{cls.__name__}' from '{string}'")
        return cls()

    @classmethod
    def construct_array_type(cls) -> Any:
        """`ArkoudaExtensionArray`, which finds the class that fits."""
        return HOLDERS["any"]


def of_data(data: Any) -> Any:
    """The type of a pdarray, Strings or Categorical."""
    if type(data).__name__ == "Categorical":
        return ArkoudaCategoricalDtype()
    if type(data).__name__ == "Strings":
        return ArkoudaStringDtype()
    name = str(data.dtype)
    found = _ArkoudaBaseDtype._named.get(_ALIASES.get(name, name))
    if found is None:
        raise TypeError(f"pandas' objects hold no pdarray of {name}; cast it to int64, uint64, float64 or bool")
    return found()
