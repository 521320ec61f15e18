# SPDX-License-Identifier: Apache-2.0
"""The order of the Python layers, and every kind of edge between modules that could break it.

A module depends on another when it imports it (also inside a function), when it names it as a string, when it looks a
class up in a registry that the other one fills, and when the other one registers a function in it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: A package may depend on those of its own height and below. "" is the module `atoll` itself.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("annotations", "extras"),
    ("session", "storage"),
    ("arrays",),
    ("random", "linalg", "fft"),
    ("pandas_errors", "columns"),
    ("io",),
    ("frame",),
    ("plan",),
    ("serve", "jupyter"),
    ("", "lazy"),
    ("arkouda", "pandas", "narwhals"),
)
HEIGHT = {package: height for height, packages in enumerate(LAYERS) for package in packages}

#: Dicts from names to classes and functions: name of the dict -> package in which they are defined.
REGISTRIES = {"CLASSES": "atoll.frame", "INDEX_CLASSES": "atoll.frame"}

#: Dependencies upwards that are still there. The list may only become shorter.
UPWARD: frozenset[tuple[str, str]] = frozenset((
    ("atoll.arrays.array", "atoll"),  # registers what makes columns
    ("atoll.arrays.array", "atoll.columns.functions.numeric"),  # registers elementwise functions of columns
    ("atoll.arrays.interchange", "atoll"),  # registers the public names
    ("atoll.columns.categorical.methods", "atoll.frame"),  # value_counts() gives a Series, describe() a frame
    ("atoll.frame.files.conversion", "atoll.narwhals"),  # __narwhals_dataframe__
))  # fmt: skip

#: How many modules of each layer are still in circles. The numbers may only fall.
IN_CIRCLES = {"arkouda": 67, "arrays": 28, "bench": 3, "columns": 29, "frame": 50, "narwhals": 2}


@dataclass
class Modules:
    """The modules of the package: their syntax trees, and which are packages."""

    trees: dict[str, ast.Module] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, paths: dict[str, Path]) -> Modules:
        """The modules with these names."""
        made = cls()
        for name, path in paths.items():
            if name.partition(".")[0] == "atoll":
                made.trees[name] = ast.parse(path.read_text())
                if path.stem == "__init__":
                    made.packages.add(name)
        return made

    def imported(self, module: str, node: ast.Import | ast.ImportFrom) -> dict[str, str]:
        """Local name -> full name, of one import statement."""
        if isinstance(node, ast.Import):
            return {alias.asname or alias.name: alias.name for alias in node.names}
        package = module.split(".") if module in self.packages else module.split(".")[:-1]
        above = package[: len(package) + 1 - node.level] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        return {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}

    def owner(self, full: str) -> str | None:
        """The module that a full name is, or is in; `_core` is one too."""
        if full.startswith("atoll._core"):
            return None
        while full and full not in self.trees:
            full = full.rpartition(".")[0]
        return full or None


def _for_type_checkers(tree: ast.Module) -> set[int]:
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }


def _docstrings(tree: ast.Module) -> set[int]:
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _definers(modules: Modules, package: str) -> dict[str, str]:
    """Name of a class or function at the top of a module -> the module."""
    return {
        node.name: name
        for name, tree in modules.trees.items()
        if name.startswith(package)
        for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")
    }


def _registered_in(statement: ast.stmt) -> ast.expr | None:
    """What a statement at the top of a module adds something to: `X.append(…)`, `X.update(…)`, `X[…] = …`."""
    if isinstance(statement, ast.Expr) and isinstance(call := statement.value, ast.Call):
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in ("append", "extend", "update", "setdefault"):
            return function.value
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Subscript):
                return target.value
    return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is loaded, also those under a condition or in a loop."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.For, ast.With, ast.Try)):
            yield from _statements([*statement.body, *getattr(statement, "orelse", [])])


def dependencies(modules: Modules) -> Iterator[tuple[str, str]]:
    """Pairs of modules of which the first depends on the second."""
    definers = {registry: _definers(modules, package) for registry, package in REGISTRIES.items()}
    for module, tree in modules.trees.items():
        apart = _for_type_checkers(tree)
        documents = _docstrings(tree)
        names: dict[str, str] = {}
        for node in ast.walk(tree):
            if id(node) in apart:
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found = modules.imported(module, node)
                names |= found
                for full in found.values():
                    if (owner := modules.owner(full)) is not None:
                        yield module, owner
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
                if "." in node.value and node.value in modules.trees:
                    yield module, node.value
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                registry, key = node.value.id, node.slice
                if registry in definers and isinstance(node.ctx, ast.Load) and isinstance(key, ast.Constant):
                    definer = definers[registry].get(str(key.value))
                    if definer is not None:
                        yield module, definer
        for statement in _statements(tree.body):
            target = _registered_in(statement)
            if target is not None:
                text = ast.unparse(target)
                first, _, rest = text.partition(".")
                full = names.get(first, "")
                owner = modules.owner(f"{full}.{rest}" if rest else full) if full else None
                if owner is not None and owner != module:
                    yield owner, module


def layer_of(module: str) -> str:
    """The package below `atoll` that a module is in."""
    return module.split(".")[1] if "." in module else ""


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm)."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        numbers[module] = lowest[module] = len(numbers)
        stack.append(module)
        for other in graph.get(module, ()):
            if other not in numbers:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], numbers[other])
        if lowest[module] == numbers[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in graph:
        if module not in numbers:
            visit(module)
    return found


def check_layers(paths: dict[str, Path]) -> Iterator[str]:
    """Dependencies upwards that are not listed, and circles with more modules than there were."""
    modules = Modules.of(paths)
    upward: set[tuple[str, str]] = set()
    graph: dict[str, set[str]] = {module: set() for module in modules.trees}
    for module, other in dependencies(modules):
        here, there = HEIGHT.get(layer_of(module)), HEIGHT.get(layer_of(other))
        if here is not None and there is not None and there > here:
            upward.add((module, other))
        elif module != other:
            graph[module].add(other)
    for module, other in sorted(upward - UPWARD):
        yield f"{module} depends on {other}, in a layer above it: pass the value in, or move the function up"
    for module, other in sorted(UPWARD - upward):
        yield f"{module} no longer depends on {other}: remove the pair from UPWARD in scripts/python_layers.py"
    counts: dict[str, int] = {}
    for circle in circles(graph):
        layer = layer_of(circle[0])
        counts[layer] = counts.get(layer, 0) + len(circle)
    for layer in sorted(counts.keys() | IN_CIRCLES.keys()):
        count, known = counts.get(layer, 0), IN_CIRCLES.get(layer, 0)
        if count > known:
            yield f"python/atoll/{layer}: {count} modules are in circles (at most {known}): break the new circle"
        elif count < known:
            yield f"python/atoll/{layer}: {count} modules are in circles: lower {known} in scripts/python_layers.py"
