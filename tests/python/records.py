# SPDX-License-Identifier: Apache-2.0
"""Records of measurements, as `atoll bench run --json` writes them."""


def record_of(**fields):
    """A record with some fields; the others are any that are valid."""
    return {
        "name": "sort", "contender": "atoll", "size": 1, "dtype": "int64", "dist": "u64", "pes": 1, "threads": 1,
        "seconds": [1.0], "bytes": 1, "gib_s": 1.0, "checksum": "1", **fields,
    }  # fmt: skip
