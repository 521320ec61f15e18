# SPDX-License-Identifier: Apache-2.0
"""The client's side of remote sessions."""
