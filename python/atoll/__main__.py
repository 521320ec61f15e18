# SPDX-License-Identifier: Apache-2.0
"""`python -m atoll` is the command `atoll`."""

import sys

from atoll.cli import main

sys.exit(main())
