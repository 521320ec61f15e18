# SPDX-License-Identifier: Apache-2.0
"""Arrays. Layers, lowest first: `dtypes`, `array` (the handle), `views`, `elementwise` and the functions, `ndarray`.

Functions take `array.Array`; `ndarray.ndarray`, its only subclass, binds them as methods. A module imports only modules
of lower layers, so that there are no import cycles.
"""
