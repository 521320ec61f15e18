# SPDX-License-Identifier: Apache-2.0
"""The server's side of remote sessions."""
