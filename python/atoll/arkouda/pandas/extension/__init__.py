# SPDX-License-Identifier: Apache-2.0
"""Arkouda's arrays inside of pandas' own objects: `pd.array([1, 2], dtype="ak_int64")`, and `.ak` of frames and Series.

The data stay on all PEs. What pandas itself computes of such an array and Arkouda has no way for, pandas computes of a
copy here: for large data prefer `.ak`, Arkouda's functions, or `atoll.DataFrame`.
"""

from ._arkouda_array import ArkoudaArray
from ._arkouda_categorical_array import ArkoudaCategorical
from ._arkouda_extension_array import ArkoudaExtensionArray
from ._arkouda_string_array import ArkoudaStringArray
from ._dataframe_accessor import ArkoudaDataFrameAccessor
from ._dtypes import (
    ArkoudaBigintDtype,
    ArkoudaBoolDtype,
    ArkoudaCategoricalDtype,
    ArkoudaFloat64Dtype,
    ArkoudaInt64Dtype,
    ArkoudaStringDtype,
    ArkoudaUint8Dtype,
    ArkoudaUint64Dtype,
)
from ._index_accessor import ArkoudaIndexAccessor
from ._series_accessor import ArkoudaSeriesAccessor

__all__ = [
    "ArkoudaArray", "ArkoudaBigintDtype", "ArkoudaBoolDtype", "ArkoudaCategorical", "ArkoudaCategoricalDtype",
    "ArkoudaDataFrameAccessor", "ArkoudaExtensionArray", "ArkoudaFloat64Dtype", "ArkoudaIndexAccessor",
    "ArkoudaInt64Dtype", "ArkoudaSeriesAccessor", "ArkoudaStringArray", "ArkoudaStringDtype", "ArkoudaUint8Dtype",
    "ArkoudaUint64Dtype",
]  # fmt: skip
