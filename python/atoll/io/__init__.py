# SPDX-License-Identifier: Apache-2.0
"""Columns in files: every PE reads its own part.

A format is a module with a `reader.Reader` (a schema, parts with bytes and rows, a way to read one) and a function that
writes. `reading` shares a reader's parts among PEs and threads, `storage` says what becomes of Arrow's types, `places`
what paths mean, and `writing` and `atomic` see to it that a file appears whole or not at all.
"""
