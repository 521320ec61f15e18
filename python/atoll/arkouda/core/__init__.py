# SPDX-License-Identifier: Apache-2.0
"""Arkouda's client and what the session holds."""

from . import client, infoclass, logger, message, security

__all__ = ["client", "infoclass", "logger", "message", "security"]
