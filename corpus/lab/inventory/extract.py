"""Finds the message sites of one module in its syntax tree.

Read are ``raise``, asserts that say something, records of level warning and
above, warnings, and Dynamo's graph breaks. An exception that is only passed
on is no site: its message was made elsewhere.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from corpus.lab.inventory.expressions import Resolver
from corpus.lab.inventory.index import Index
from corpus.lab.inventory.modules import FunctionNode, Module, statements
from corpus.lab.inventory.sites import How, Site
from corpus.lab.inventory.templates import Alternatives, Hole, concatenated, is_opaque, text

_LEVELS = {"warning": "warning", "warn": "warning", "error": "error", "critical": "critical", "exception": "exception"}
_LOGGER = re.compile(r"(^|[._])(log|logger|logging)$|getLogger\([^)]*\)$|getArtifactLogger\(.*\)$", re.IGNORECASE)
_WARNERS = ("warnings.warn", "warn_once", "_warn_once", "torch._dynamo.utils.warn_once", "warn")
#: Each logs its message with a level: name -> position of the message.
_LOGGERS_ONCE = {"warning_once": 1, "torch._logging.warning_once": 1, "log_cudagraph_skip_and_bump_counter": 0}
_BREAKS = re.compile(r"(^|\.)unimplemented(_v2|_with_warning)?$")
_MESSAGE_NAMES = ("msg", "message", "error_message", "err_msg", "detail")
#: These take a number and a reason, and print them in a form of their own.
_OS_ERRORS = ("OSError", "IOError", "EnvironmentError", "FileNotFoundError", "PermissionError")
#: Methods of an exception that return it.
_SAME_EXCEPTION = ("with_traceback", "remove_dynamo_frames", "with_name")
_UNSUPPORTED = "Unsupported"


def extract_sites(module: Module, index: Index) -> Iterator[Site]:
    """Yield the sites of a module in the order of its lines, alternatives of one message apart."""
    yield from _Reader(module, index).block(module.tree.body, (), None)


class _Reader:
    """Walks one module; knows which class and function it is in."""

    def __init__(self, module: Module, index: Index) -> None:
        self._module = module
        self._index = index

    def block(self, body: list[ast.stmt], path: tuple[str, ...], function: FunctionNode | None) -> Iterator[Site]:
        for node in statements(body):
            if isinstance(node, ast.ClassDef):
                yield from self.block(node.body, (*path, node.name), function)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from self.block(node.body, (*path, node.name), node)
            elif isinstance(node, ast.Raise):
                yield from self._raised(node, path, function)
            elif isinstance(node, ast.Assert) and node.msg is not None:
                yield from self._asserted(node, path, function)
            elif isinstance(node, ast.Expr | ast.Return | ast.Assign) and isinstance(node.value, ast.Call):
                yield from self._called(node.value, path, function)

    def _resolver(self, function: FunctionNode | None, line: int) -> Resolver:
        return Resolver(lambda name: self._index.lookup(self._module, function, line, name))

    def _site(
        self, node: ast.stmt | ast.expr, path: tuple[str, ...], how: How, kind: str, alternatives: Alternatives
    ) -> Iterator[Site]:
        lines = self._module.lines
        for template in alternatives:
            yield Site(
                module=self._module.name,
                function=".".join(path) or "<module>",
                how=how,
                kind=kind,
                printed=kind if how is How.LOGGED else self._index.printed_name(kind, self._module),
                template=template,
                line=node.lineno,
                source=lines[node.lineno - 1].strip() if node.lineno <= len(lines) else "",
            )

    def _raised(self, node: ast.Raise, path: tuple[str, ...], function: FunctionNode | None) -> Iterator[Site]:
        if node.exc is None:
            return
        resolver = self._resolver(function, node.lineno)
        for value in self._exceptions(node.exc, function, node.lineno):
            call = value if isinstance(value, ast.Call) else None
            bare = ast.unparse(call.func if call else value).rpartition(".")[2]
            alternatives = self._message(bare, call, resolver)
            yield from self._site(node, path, How.RAISED, bare, alternatives)

    def _exceptions(self, node: ast.expr, function: FunctionNode | None, line: int) -> Iterator[ast.expr]:
        """Follow what is raised to the calls or classes that make it."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_EXCEPTION:
            yield from self._exceptions(node.func.value, function, line)
            return
        made = ast.unparse(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]
        if self._index.is_exception(made, self._module):
            yield node
            return
        if isinstance(node, ast.IfExp):
            yield from self._exceptions(node.body, function, line)
            yield from self._exceptions(node.orelse, function, line)
            return
        name = f"{ast.unparse(node.func)}()" if isinstance(node, ast.Call) else ast.unparse(node)
        for value in self._index.lookup(self._module, function, line, name):
            if isinstance(value, ast.Call) and self._index.is_exception(
                ast.unparse(value.func).rpartition(".")[2], self._module
            ):
                yield value

    def _message(self, bare: str, call: ast.Call | None, resolver: Resolver) -> Alternatives:
        own = self._index.own_message(bare, self._module, call, resolver)
        if own is not None and not all(is_opaque(template) for template in own):
            return own
        if call is None or not (call.args or call.keywords):
            return ((),)
        named = [keyword.value for keyword in call.keywords if keyword.arg in _MESSAGE_NAMES]
        given = [*named, *call.args]
        candidates = [resolver.resolve(value) for value in given]
        telling = [each for each in candidates if not all(is_opaque(template) for template in each)]
        if len(call.args) > 1 and hasattr(builtins, bare) and bare not in _OS_ERRORS:
            return _as_tuple(candidates[len(named) :])
        if telling:
            return max(telling, key=lambda each: max(_constant_letters(template) for template in each))
        # Of arguments that tell nothing, the message stands last: (kind, text), (source, node, text).
        if not given or ast.unparse(given[-1]) == "None":
            return ((),)
        return candidates[-1]

    def _asserted(self, node: ast.Assert, path: tuple[str, ...], function: FunctionNode | None) -> Iterator[Site]:
        assert node.msg is not None  # noqa: S101  # the caller looked
        alternatives = self._resolver(function, node.lineno).resolve(node.msg)
        yield from self._site(node, path, How.RAISED, "AssertionError", alternatives)

    def _called(self, node: ast.Call, path: tuple[str, ...], function: FunctionNode | None) -> Iterator[Site]:
        name = ast.unparse(node.func)
        bare = name.rpartition(".")[2]
        resolver = self._resolver(function, node.lineno)
        if _BREAKS.search(name):
            yield from self._site(node, path, How.BROKEN, _UNSUPPORTED, _graph_break(node, resolver))
        elif name in _WARNERS and node.args:
            yield from self._site(node, path, How.WARNED, _category(node), resolver.resolve(node.args[0]))
        elif name in _LOGGERS_ONCE or bare in _LOGGERS_ONCE:
            position = _LOGGERS_ONCE.get(name, _LOGGERS_ONCE.get(bare, 0))
            if len(node.args) > position:
                made = resolver.interpolated(node.args[position], node.args[position + 1 :])
                yield from self._site(node, path, How.LOGGED, "warning", made)
        elif bare in _LEVELS and node.args and _LOGGER.search(name.removesuffix(f".{bare}")):
            made = resolver.interpolated(node.args[0], node.args[1:])
            yield from self._site(node, path, How.LOGGED, _LEVELS[bare], made)


def _as_tuple(candidates: list[Alternatives]) -> Alternatives:
    """Return what a built-in exception prints of several arguments: their tuple."""
    row: list[Alternatives] = [(text("("),)]
    for number, each in enumerate(candidates):
        quote = (text("'" if any(isinstance(part, str) for part in each[0]) else ""),)
        row += [(text(", " if number else ""),), quote, each[:1], quote]
    return concatenated([*row, (text(")"),)])


def _constant_letters(template: tuple[str | Hole, ...]) -> int:
    return sum(len(part) for part in template if isinstance(part, str))


def _category(node: ast.Call) -> str:
    given = [keyword.value for keyword in node.keywords if keyword.arg == "category"] or node.args[1:2]
    name = ast.unparse(given[0]).rpartition(".")[2] if given else "UserWarning"
    return name if name.endswith("Warning") else "UserWarning"


def _graph_break(node: ast.Call, resolver: Resolver) -> Alternatives:
    """Lay a graph break out as ``torch._dynamo.exc`` does, in either era."""
    given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    if "gb_type" not in given:
        position = 2 if ast.unparse(node.func).endswith("_with_warning") else 0
        message = given.get("msg") or (node.args[position] if len(node.args) > position else None)
        return resolver.resolve(message) if message else ((),)
    pieces: list[Alternatives] = [resolver.resolve(given["gb_type"]), (text("\n  Explanation: "),)]
    pieces.append(_indented(given.get("explanation"), resolver))
    for hint in resolver.items(given["hints"]) or () if "hints" in given else ():
        pieces += [(text("\n  Hint: "),), _indented(hint, resolver)[:1]]
    pieces += [(text("\n\n  Developer debug context: "),), _indented(given.get("context"), resolver)[:1]]
    return concatenated(pieces)


def _indented(node: ast.expr | None, resolver: Resolver) -> Alternatives:
    if node is None:
        return ((),)
    return tuple(
        tuple(part.replace("\n", "\n    ") if isinstance(part, str) else part for part in template)
        for template in resolver.resolve(node)
    )
