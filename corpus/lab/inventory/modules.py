"""What one source file defines: constants, functions that return text, exception classes.

A name is followed within its function first, then its module, then the
modules of the same release: messages are often built far from their raise.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(slots=True)
class Module:
    """One parsed file; ``name`` is its path without suffix: ``torch/_inductor/codecache``."""

    name: str
    tree: ast.Module
    lines: list[str]
    constants: dict[str, ast.expr] = field(default_factory=dict)
    #: Functions of the module by name, methods as ``self.name``.
    functions: dict[str, FunctionNode] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)

    @property
    def dotted(self) -> str:
        """Return the name as Python imports it."""
        return self.name.removesuffix("/__init__").replace("/", ".")


def read_module(file: Path, name: str) -> Module | None:
    """Parse a file; ``None`` where it is no Python of any release we can read."""
    source = file.read_text(encoding="utf-8", errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in other people's strings
            tree = ast.parse(source)
    except SyntaxError:
        return None
    module = Module(name=name, tree=tree, lines=source.splitlines())
    _register(module, tree.body, "")
    for statement in statements(tree.body):
        for target, value in _assigned(statement):
            module.constants[target] = value
    return module


def _register(module: Module, body: list[ast.stmt], owner: str) -> None:
    for statement in statements(body):
        if isinstance(statement, ast.ClassDef):
            module.classes.setdefault(statement.name, statement)
            _register(module, statement.body, "self.")
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            module.functions.setdefault(f"{owner}{statement.name}", statement)
            _register(module, statement.body, "")


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block and of the blocks inside it, not those of definitions in it."""
    for statement in body:
        yield statement
        if isinstance(statement, _DEFINITIONS):
            continue
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if inner:
                yield from statements(inner)
        for part in getattr(statement, "handlers", None) or getattr(statement, "cases", None) or ():
            yield from statements(part.body)


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.value
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value


def values_before(name: str, function: FunctionNode, line: int) -> tuple[ast.expr, ...]:
    """Return what a local name may hold at a line, longest concatenation first.

    Each plain assignment above the line begins a value; ``+=`` lengthens the
    one before it. The values of branches stand beside each other.
    """
    values: list[ast.expr] = []
    for statement in statements(function.body):
        if (statement.end_lineno or line) >= line and not hasattr(statement, "body"):
            continue
        if isinstance(statement, ast.AugAssign):
            target = statement.target
            if isinstance(target, ast.Name) and target.id == name and isinstance(statement.op, ast.Add) and values:
                values[-1] = ast.BinOp(left=values[-1], op=ast.Add(), right=statement.value)
            continue
        values += [value for target_name, value in _assigned(statement) if target_name == name]
    return tuple(values)


def returned(function: FunctionNode) -> tuple[ast.expr, ...]:
    """Return the values that a function returns."""
    found = (statement.value for statement in statements(function.body) if isinstance(statement, ast.Return))
    return tuple(value for value in found if value is not None)
