# SPDX-License-Identifier: Apache-2.0
"""Frames that are not read yet: what is asked of them, and how it is done when memory is short.

`scan` is what people use; `nodes` are the steps of a plan and `terms` expressions of their columns. `run` carries a
plan out, one step after another: in memory where a step's rows fit, else by pieces that `split` puts into files of
`spill`.
"""
