# SPDX-License-Identifier: Apache-2.0
"""Writes the first example of a page in one language to a file.

usage: example.py PAGE.md LANGUAGE FILE
"""

import re
import sys
from pathlib import Path

page, language, file = sys.argv[1:]
found = re.search(rf"^```{re.escape(language)}\n(.*?)^```$", Path(page).read_text(), re.MULTILINE | re.DOTALL)
if found is None:
    sys.exit(f"{page} has no example in {language}")
Path(file).write_text(found.group(1))
