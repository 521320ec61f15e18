# SPDX-License-Identifier: Apache-2.0
"""JSON lines."""

from .reader import json_columns as json_columns
from .reader import write_json as write_json
