# SPDX-License-Identifier: Apache-2.0
"""Arrays. From below: `dtypes`, `array` (the handle), `views`, `elementwise` and the functions, `ndarray` on top.

`array.Array` is what functions are written for; `ndarray.ndarray`, its only subclass, binds them as methods. A module
imports those below it alone, so that there are no circles.
"""
