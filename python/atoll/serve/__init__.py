# SPDX-License-Identifier: Apache-2.0
"""Servers that keep PEs running, and sessions of clients that drive them.

A remote session is a driver without memory. The compiled module `atoll._core` is the one place where the package calls
the engine; a client puts functions in front of those of `_core` that write (operation, arguments) to a socket when a
handle of a remote session is among the arguments. A server calls the same function of its own `_core`. Arrays, columns,
frames, groups, files, random numbers and linear algebra stand above that place and exist once.

`protocol`, `codec`, `operations` and `handshake` are what both sides share: frames, values, the list of operations, and
how the sides prove that they know the token. `server_files` keeps the files of running servers. `client` and `server`
import these and never each other.

`activity` records operations, `machine` reads /proc, `dashboard` shows both in a browser.

`client`: `handles` (`RemoteExpr`, `RemoteTexts`: what `_core.Expr` and `_core.Texts` are here), `shapes` (what is
known of a lazy result without the server), `channel` (a connection that resumes), `session` (`RemoteSession`),
`dispatch` (the functions in front of `_core`), `names` (published objects), `connect` (the public functions).

`server`: `process` (start and end), `listener` (a thread: accepts, authenticates, and answers control requests while an
operation runs), `loop` (the main thread: one message of each session in turn), `connection` (frames on a socket that
never blocks), `client` (one session: its handles, memory and answers), `names` (published objects), `checkpoints`
(writes these to a directory).
"""
