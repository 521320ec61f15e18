# SPDX-License-Identifier: Apache-2.0
"""A web page that shows what an engine does: of a server, or of this process's session.

`sources` (where the data are from), `local` (records this process's operations), `feed` (what viewers share), `metrics`
(the same for Prometheus), `web` (the pages, the check of tokens, and the HTTP server), `start` (`ak.dashboard`), `page`
(HTML, style and script, which load nothing from elsewhere).
"""
