# SPDX-License-Identifier: Apache-2.0
"""Writes the C or C++ program of one data file: `generate.py cases/rma.toml --language c -o rma.c`.

A file of `cases/` is a list of `[[case]]`, all run by one job. Each has a `name`, the `section` of the standard, the C
text of `setup`, `run` and `expect`, and may have `over`, the groups (`groups.toml`) it ranges over: their {names} are
replaced in the text, which makes one function for each combination. All PEs meet between set-up and run. A case is for
C unless `languages` names more of `c`, `c11`, `c++`; in the latter two {pre} and {ctx_} are empty, so that the same
text calls the generic names. The language `pshmem` is C with every call under its profiling name. `pes = [least, most]`
bounds the number of PEs.

A file of `programs/` is a list of `[[program]]`, each run as a job of its own by `run_programs.py`: `main` is the body
of its main function, whose argv[1] is its number.
"""

from __future__ import annotations

import argparse
import itertools
import re
import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CALL = re.compile(r"\b(?:p?shmemx?_\w+|start_pes|_my_pe|_num_pes|sh(?:malloc|free|realloc|memalign))(?=\s*\()")
GENERIC = {"c11", "c++"}
LANGUAGES = ("c", "c11", "c++", "pshmem")
SHOWN = ("OP", "T", "post", "nbi", "ctx_", "CMP", "SIGNAL")

Entry = dict[str, str]


class Groups:
    """The groups that cases range over, as lists of entries."""

    def __init__(self) -> None:
        text = tomllib.loads((FOLDER / "groups.toml").read_text())
        self._types: dict[str, str] = text["types"]
        self._sets: dict[str, list[str]] = text["sets"]
        self._groups: dict[str, list[Entry]] = text["groups"]

    def entries(self, name: str) -> list[Entry]:
        made: list[Entry] = []
        for entry in self._groups[name]:
            if "group" in entry:
                made += self.entries(entry["group"])
            elif "set" in entry:
                rest = {key: value for key, value in entry.items() if key != "set"}
                made += [self._typed({"pre": f"{name}_", **rest, "T": name}) for name in self._sets[entry["set"]]]
            else:
                made.append(self._typed(dict(entry)))
        return made

    def _typed(self, entry: Entry) -> Entry:
        return {**entry, "C": self._types[entry["T"]]} if "T" in entry else entry


class Function:
    """One case for one combination of what it ranges over."""

    def __init__(self, case: dict[str, Any], entry: Entry, language: str) -> None:
        shown = " ".join(entry[key] for key in SHOWN if entry.get(key))
        self.name = f"{case['name']} [{shown}]" if shown else str(case["name"])
        self.section = str(case["section"])
        self.least, self.most = case.get("pes", [1, 1 << 20])
        values = {**entry, "pre": "", "ctx_": ""} if language in GENERIC else entry
        self.parts = {part: replace(case.get(part, ""), values) for part in ("setup", "run", "expect")}
        if language == "pshmem":
            self.parts = {part: CALL.sub(profiling_name, text) for part, text in self.parts.items()}

    def calls(self) -> set[str]:
        """The functions of the library that it examines."""
        return set(CALL.findall(self.parts["run"] + self.parts["expect"]))

    def text(self, number: int) -> str:
        body = (
            indent(self.parts["setup"]) + "  everybody();\n" + indent(self.parts["run"]) + indent(self.parts["expect"])
        )
        return f"/* {self.section} */\nstatic void case_{number}(void) {{\n{body}}}\n\n"

    def entry(self, number: int) -> str:
        symmetric = int("NEW(" in self.parts["setup"])
        return f'    {{"{self.name}", "{self.section}", case_{number}, {self.least}, {self.most}, {symmetric}}},\n'


def indent(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.strip("\n").splitlines())


def replace(text: str, values: Entry) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def profiling_name(call: re.Match[str]) -> str:
    return f"p{call[0]}" if call[0].startswith("shmem_") else call[0]


def functions(text: dict[str, Any], language: str) -> list[Function]:
    """Every case of a data file in one language, ranged over its groups."""
    groups = Groups()
    made = []
    for case in text["case"]:
        if (language if language in GENERIC else "c") not in case.get("languages", ["c"]):
            continue
        for combination in itertools.product(*(groups.entries(name) for name in case.get("over", []))):
            entry = {key: value for part in combination for key, value in part.items()}
            untyped = entry.get("pre") == ""  # sizes and bytes have no generic name
            complex_in_cpp = language == "c++" and entry.get("T", "").startswith("complex")
            if not (language in GENERIC and untyped) and not complex_in_cpp:
                made.append(Function(case, entry, language))
    return made


def cases_program(text: dict[str, Any], language: str) -> str:
    chosen = functions(text, language)
    return (
        f'#include "harness.h"\n\n{text.get("prelude", "")}\n'
        + "".join(f.text(i) for i, f in enumerate(chosen))
        + "static const test_case cases[] = {\n"
        + "".join(f.entry(i) for i, f in enumerate(chosen))
        + "};\n\nint main(int argc, char** argv) {\n"
        + "  return harness_main(cases, sizeof cases / sizeof cases[0], argc, argv);\n}\n"
    )


def own_programs(text: dict[str, Any]) -> str:
    made = text["program"]
    define = "".join(f"#define {name}\n" for name in text.get("define", []))
    bodies = "".join(
        f"/* {p['section']} */\nstatic int program_{i}(int argc, char** argv) {{\n"
        f"  (void)argc, (void)argv;\n{indent(p['main'])}}}\n\n"
        for i, p in enumerate(made)
    )
    entries = "".join(
        f'    {{{{"{p["name"]}", "{p["section"]}", 0, 1, 1, 0}}, program_{i}}},\n' for i, p in enumerate(made)
    )
    return (
        f'{define}#include "harness.h"\n#include <time.h>\n\n{text.get("prelude", "")}\n{bodies}'
        "static const struct {\n  test_case about;\n  int (*main)(int argc, char** argv);\n} programs[] = {\n"
        f"{entries}}};\n\nint main(int argc, char** argv) {{\n  int number = argc > 1 ? atoi(argv[1]) : -1;\n"
        "  if (number < 0 || number >= (int)(sizeof programs / sizeof programs[0])) return 2;\n"
        "  running = &programs[number].about;\n  signal(SIGALRM, harness_out_of_time);\n  alarm(harness_seconds);\n"
        "  int status = programs[number].main(argc, argv);\n  return failures ? 1 : status;\n}\n"
    )


def write(path: Path, language: str) -> str:
    text = tomllib.loads(path.read_text())
    made = own_programs(text) if "program" in text else cases_program(text, language)
    return f"/* Made by generate.py from {path.name}. */\n{made}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--language", choices=LANGUAGES, default="c")
    parser.add_argument("-o", "--output", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.output.write_text(write(chosen.file, chosen.language))


if __name__ == "__main__":
    main()
