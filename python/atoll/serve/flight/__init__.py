# SPDX-License-Identifier: Apache-2.0
"""Published frames of a server as tables of Arrow Flight SQL, read only, for ADBC, JDBC and BI tools.

`tables` (the published frames, and their rows as Arrow), `queries` (SQL by DuckDB over those rows), `messages` (Flight
SQL's messages), `catalog` (answers to questions about tables and the server), `gateway` (the Flight server, and the
check of tokens). All import pyarrow and DuckDB, so `atoll flight` looks for the extra `flight` first.
"""
