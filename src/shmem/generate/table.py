# SPDX-License-Identifier: Apache-2.0
"""Reads the table of src/shmem/api and unfolds it into C functions."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

#: Files of the table, in the order of the standard. shmemx.toml is the extensions' and goes to shmemx.h.
STANDARD = ("setup", "team", "rma", "atomic", "signal", "collective", "sync", "legacy")
EXTENSIONS = ("shmemx",)
KEYS = {
    "name",
    "types",
    "sizes",
    "returns",
    "arguments",
    "ctx",
    "generic",
    "section",
    "since",
    "deprecated",
    "body",
    "inline",
    "attributes",
}


@dataclass(frozen=True)
class Type:
    """A type of the standard: NAME in function names, its C spelling, and the type it is the same as."""

    name: str
    c: str
    same: str
    word: bool


@dataclass(frozen=True)
class Argument:
    c: str
    name: str

    def declare(self) -> str:
        if self.c == "...":
            return "..."
        return f"{self.c}{self.name}" if self.c.endswith("*") else f"{self.c} {self.name}"


@dataclass(frozen=True)
class Family:
    """One row of the table."""

    name: str
    chapter: str
    returns: str
    arguments: str
    types: tuple[str, ...]
    sizes: tuple[int, ...]
    has_ctx: bool
    generic: str
    section: str
    since: str
    deprecated: str
    body: str
    inline: str
    attributes: tuple[str, ...]

    @property
    def built(self) -> bool:
        return bool(self.body)


@dataclass(frozen=True)
class Function:
    """One C function."""

    name: str
    family: Family
    type: Type | None
    size: int
    with_ctx: bool
    returns: str
    arguments: tuple[Argument, ...]

    @property
    def built(self) -> bool:
        return self.family.built

    @property
    def profiling_name(self) -> str:
        return "p" + self.name

    def parameters(self) -> str:
        return ", ".join(argument.declare() for argument in self.arguments) or "void"

    def names(self) -> str:
        return ", ".join(argument.name for argument in self.arguments if argument.name)

    def expand(self, text: str) -> str:
        """`text` of the row with TYPE, SIZE, CTX put in."""
        text = re.sub(r"\bCTX\b", "ctx" if self.with_ctx else "SHMEM_CTX_DEFAULT", text)
        if self.type is not None:
            text = re.sub(r"\bTYPE\b", self.type.c, text)
        return re.sub(r"\bSIZE\b", str(self.size // 8), text)


@dataclass(frozen=True)
class Table:
    types: dict[str, Type]
    groups: dict[str, tuple[str, ...]]
    families: tuple[Family, ...]
    functions: tuple[Function, ...]

    def distinct(self, names: tuple[str, ...]) -> list[tuple[str, Type]]:
        """One name for each C type among `names`: C11 selection and overloads may list a type once."""
        chosen: dict[str, str] = {}
        for name in names:
            chosen.setdefault(self.types[name].same, name)
        return [(name, self.types[same]) for same, name in chosen.items()]


def split_arguments(text: str) -> tuple[Argument, ...]:
    if text == "void":
        return ()
    found = []
    for part in (piece.strip() for piece in text.split(",")):
        if part == "...":
            found.append(Argument("...", ""))
            continue
        match = re.fullmatch(r"(.*?[\s*])(\w+)", part)
        if match is None:
            raise ValueError(f"argument {part!r} has no type or no name")
        c = match.group(1).strip()
        found.append(Argument(c, match.group(2)))
    return tuple(found)


def unfold(family: Family, types: dict[str, Type]) -> list[Function]:
    variants: list[tuple[str, Type | None, int]] = [(family.name, None, 0)]
    if family.types:
        variants = [(family.name.replace("{T}", name), types[name], 0) for name in family.types]
    elif family.sizes:
        variants = [(family.name.replace("{N}", str(size)), None, size) for size in family.sizes]
    prefix = "shmemx_" if family.chapter in EXTENSIONS else "shmem_"
    functions = []
    for name, kind, size in variants:
        for with_ctx in (False, True) if family.has_ctx else (False,):
            put = (lambda text, kind=kind: re.sub(r"\bTYPE\b", kind.c, text)) if kind else (lambda text: text)
            arguments = split_arguments(put(family.arguments))
            if with_ctx:
                arguments = (Argument("shmem_ctx_t", "ctx"), *arguments)
            full = prefix + ("ctx_" if with_ctx else "") + name
            functions.append(Function(full, family, kind, size, with_ctx, put(family.returns), arguments))
    return functions


def load(folder: Path) -> Table:
    """The whole table. Raises ValueError that names the row when something is wrong with it."""
    raw = tomllib.loads((folder / "types.toml").read_text())
    types = {
        name: Type(name, entry["c"], entry.get("same", name), entry.get("word", True))
        for name, entry in raw["type"].items()
    }
    groups: dict[str, tuple[str, ...]] = {}
    for name, members in raw["groups"].items():
        listed: list[str] = []
        for member in members:
            listed += groups[member[1:]] if member.startswith("+") else [member]
        if unknown := [member for member in listed if member not in types]:
            raise ValueError(f"group {name} names unknown types {unknown}")
        groups[name] = tuple(listed)

    families = []
    functions: list[Function] = []
    for chapter in (*STANDARD, *EXTENSIONS):
        path = folder / f"{chapter}.toml"
        if not path.exists():
            continue
        for row in tomllib.loads(path.read_text()).get("function", []):
            where = f"{path.name}: {row.get('name')}"
            if extra := row.keys() - KEYS:
                raise ValueError(f"{where}: unknown keys {sorted(extra)}")
            if row.get("types") and row["types"] not in groups:
                raise ValueError(f"{where}: there is no group {row['types']}")
            family = Family(
                name=row["name"],
                chapter=chapter,
                returns=row["returns"],
                arguments=row["arguments"],
                types=groups[row["types"]] if row.get("types") else (),
                sizes=tuple(row.get("sizes", ())),
                has_ctx=row.get("ctx", False),
                generic=row.get("generic", ""),
                section=row["section"],
                since=row["since"],
                deprecated=row.get("deprecated", ""),
                body=row.get("body", ""),
                inline=row.get("inline", ""),
                attributes=tuple(row.get("attributes", ())),
            )
            families.append(family)
            functions += unfold(family, types)
    names = [function.name for function in functions]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"functions named twice: {sorted(twice)}")
    return Table(types, groups, tuple(families), tuple(functions))
