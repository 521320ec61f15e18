#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks commit messages. As a git hook: `ln -s ../../scripts/commit_message.py .git/hooks/commit-msg`.

python3 scripts/commit_message.py FILE           the message in FILE
python3 scripts/commit_message.py --range A..B   those of these commits
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SUBJECT_LETTERS = 72
#: `area/module: Imperative summary`; several areas are divided by commas.
SUBJECT = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*(?:, [A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*)*: (\S+)(?: \S+)*")
#: First words that are not imperative verbs, with what is meant.
NOT_IMPERATIVE = re.compile(
    r"(?:Added|Adds|Fixed|Fixes|Changed|Changes|Removed|Removes|Updated|Updates|The|A|An|Who|What|It|This)"
)


def faults(message: str) -> Iterator[str]:
    """What is wrong with one message, a sentence each. Lines that begin with # are comments of git's editor."""
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        yield "the message is empty. Write `area/module: Imperative summary`, an empty line, and a body"
        return
    subject, body = lines[0], lines[1:]
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return
    if len(subject) > SUBJECT_LETTERS:
        yield f"the subject has {len(subject)} letters, and at most {SUBJECT_LETTERS} are read in a log. Shorten it"
    match = SUBJECT.fullmatch(subject)
    if match is None:
        yield f"'{subject}' is not `area/module: Imperative summary`"
    elif not match[1][0].isupper() and match[1].isalpha():
        yield f"the summary begins with '{match[1]}'. Begin it with a capital"
    elif NOT_IMPERATIVE.fullmatch(match[1]):
        yield f"the summary begins with '{match[1]}'. Begin it with an imperative verb: Add, Fix, Remove"
    if subject.endswith("."):
        yield "the subject ends with a full stop. Leave it out"
    if not any(body):
        yield "there is no body. Say situation, fault, change and evidence"
    elif body[0]:
        yield "the second line is not empty. Part subject and body by an empty line"


def messages(commits: str) -> Iterator[tuple[str, str]]:
    """Short hash and message of each commit of a range."""
    listed = subprocess.run(
        ["git", "log", "--no-merges", "--format=%h%n%B%x00", commits], capture_output=True, text=True, check=True
    )
    for entry in listed.stdout.split("\0"):
        if entry.strip():
            name, _, message = entry.strip("\n").partition("\n")
            yield name, message


def main(words: list[str]) -> int:
    if len(words) == 2 and words[0] == "--range":
        named = list(messages(words[1]))
    elif len(words) == 1:
        named = [(words[0], Path(words[0]).read_text(encoding="utf-8"))]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    found = [f"{name}: {fault}" for name, message in named for fault in faults(message)]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
