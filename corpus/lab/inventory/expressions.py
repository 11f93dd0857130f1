"""From a Python expression to the message templates that it can make.

Nothing is run: f-strings, ``%``, ``.format``, concatenation, ``dedent`` and
the like are followed in the syntax tree, names to what was assigned to them
in the function or module. Whatever cannot be followed becomes a hole.
"""

from __future__ import annotations

import ast
import re
import string
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from corpus.lab.inventory.templates import (
    MAX_ALTERNATIVES,
    Alternatives,
    Hole,
    Part,
    Template,
    concatenated,
    joined,
    text,
)

#: Looks a name or dotted name up; ``None`` where nothing is known of it.
Lookup = Callable[[str], "tuple[ast.expr, ...] | None"]

_MAX_DEPTH = 16
_PERCENT = re.compile(r"%(?:\((?P<key>[^)]*)\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[a-zA-Z%])")
_TRIMMED = ("strip", "lstrip", "rstrip")
_UNCHANGED = ("lower", "upper", "replace", "removeprefix", "removesuffix", "expandtabs", "encode", "decode")
_STRING_METHODS = ("format", "join", *_TRIMMED, *_UNCHANGED)
_DEDENTED = ("dedent", "cleandoc", "textwrap.dedent", "inspect.cleandoc")
_TRANSPARENT = ("str", "repr", "cast", "typing.cast", "LazyString")
_MARK = "\x00"


class Resolver:
    """Turns expressions into templates, with the names that one place knows."""

    def __init__(self, lookup: Lookup) -> None:
        """Take the way to look names up."""
        self._lookup = lookup
        self._seen: list[str] = []

    def resolve(self, node: ast.expr, depth: int = 0) -> Alternatives:
        """Return the templates an expression can make; a lone hole where it cannot be followed."""
        reader = _READERS.get(type(node))
        return reader(self, node, depth + 1) if reader and depth <= _MAX_DEPTH else _hole(node)

    def interpolated(self, form: ast.expr, arguments: Sequence[ast.expr], depth: int = 0) -> Alternatives:
        """Return what ``form % arguments`` makes, as ``logging`` puts a record together."""
        forms = self.resolve(form, depth)
        return _limited(*(each for one in forms for each in self._percent(one, arguments, {}, depth)))

    def items(self, node: ast.expr, depth: int = 0) -> list[ast.expr] | None:
        """Return the members of a literal list or tuple, starred constants unpacked."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.List | ast.Tuple):
            members: list[ast.expr] = []
            for member in node.elts:
                inner = self.items(member.value, depth + 1) if isinstance(member, ast.Starred) else [member]
                members += inner or []
            return members
        if isinstance(node, ast.Name | ast.Attribute):
            values = self._lookup(ast.unparse(node)) or ()
            return self.items(values[0], depth + 1) if len(values) == 1 else None
        return None

    def _constant(self, node: ast.Constant, _depth: int) -> Alternatives:
        return (text(node.value if isinstance(node.value, str) else str(node.value)),)

    def _f_string(self, node: ast.JoinedStr, depth: int) -> Alternatives:
        return concatenated([self.resolve(value, depth) for value in node.values])

    def _placeholder(self, node: ast.FormattedValue, depth: int) -> Alternatives:
        return self.resolve(node.value, depth)

    def _choice(self, node: ast.IfExp, depth: int) -> Alternatives:
        return _limited(*self.resolve(node.body, depth), *self.resolve(node.orelse, depth))

    def _either(self, node: ast.BoolOp, depth: int) -> Alternatives:
        if isinstance(node.op, ast.And):
            return _hole(node)
        return _limited(*(each for value in node.values for each in self.resolve(value, depth)))

    def _walrus(self, node: ast.NamedExpr, depth: int) -> Alternatives:
        return self.resolve(node.value, depth)

    def _operation(self, node: ast.BinOp, depth: int) -> Alternatives:
        if isinstance(node.op, ast.Add) and not _is_bare(node.left) and not _is_bare(node.right):
            return concatenated([self.resolve(node.left, depth), self.resolve(node.right, depth)])
        if isinstance(node.op, ast.Mod):
            arguments = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            keyed: dict[str, ast.expr] = {}
            if isinstance(node.right, ast.Dict):
                keyed = {
                    key.value: value
                    for key, value in zip(node.right.keys, node.right.values, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                }
            forms = self.resolve(node.left, depth)
            return _limited(*(each for one in forms for each in self._percent(one, arguments, keyed, depth)))
        return _hole(node)

    def _named(self, node: ast.Name | ast.Attribute, depth: int) -> Alternatives:
        return self._followed(ast.unparse(node), node, depth, lambda *found: _some_telling(found, node))

    def _followed(self, name: str, node: ast.expr, depth: int, choose: Callable[..., Alternatives]) -> Alternatives:
        """Follow a name to its values, unless it leads back to itself."""
        values = self._lookup(name)
        if not values or name in self._seen:
            return _hole(node)
        self._seen.append(name)
        try:
            # A number or a list says nothing that its name does not say better.
            return choose(*(each for value in values if not _is_bare(value) for each in self.resolve(value, depth)))
        finally:
            self._seen.pop()

    def _call(self, node: ast.Call, depth: int) -> Alternatives:
        name = ast.unparse(node.func)
        if name in _DEDENTED and node.args:
            return tuple(_whole(template, textwrap.dedent) for template in self.resolve(node.args[0], depth))
        if name in _TRANSPARENT and node.args:
            # ``str(error)`` and ``repr(name)``: only text that is already known is worth following.
            return _telling(self.resolve(node.args[-1], depth), node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _STRING_METHODS:
            return self._method(node, node.func.attr, depth)
        return self._followed(f"{name}()", node, depth, _limited)

    def _method(self, node: ast.Call, method: str, depth: int) -> Alternatives:
        if method == "format":
            return self._formatted(node, depth)
        if method == "join":
            return self._joined(node, depth) if node.args else _hole(node)
        owner = self._owner(node, depth)
        if method in _TRIMMED:
            return tuple(_whole(each, lambda value: str(getattr(value, method)())) for each in owner)
        return owner if any(isinstance(part, str) for each in owner for part in each) else _hole(node)

    def _owner(self, node: ast.Call, depth: int) -> Alternatives:
        assert isinstance(node.func, ast.Attribute)  # noqa: S101  # the callers looked
        return self.resolve(node.func.value, depth)

    def _joined(self, node: ast.Call, depth: int) -> Alternatives:
        members = self.items(node.args[0])
        if members is None:
            return _hole(node)
        separator = self._owner(node, depth)[:1]
        row: list[Alternatives] = []
        for member in members:
            row += [separator, self.resolve(member, depth)] if row else [self.resolve(member, depth)]
        return concatenated(row) if row else ((),)

    def _formatted(self, node: ast.Call, depth: int) -> Alternatives:
        keyed = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        results: list[Template] = []
        for form in self._owner(node, depth):
            pieces: list[Alternatives] = []
            automatic = iter(range(len(node.args)))
            for part in form:
                if isinstance(part, Hole):
                    pieces.append(((part,),))
                    continue
                for constant, name in _fields(part):
                    pieces.append((text(constant),))
                    if name is not None:
                        value = _argument(name, node.args, keyed, automatic)
                        pieces.append(self.resolve(value, depth) if value else ((Hole(name or "value"),),))
            results += concatenated(pieces)
        return _limited(*results)

    def _percent(
        self, form: Template, arguments: Sequence[ast.expr], keyed: dict[str, ast.expr], depth: int
    ) -> Alternatives:
        pieces: list[Alternatives] = []
        rest = iter(arguments)
        for part in form:
            if isinstance(part, Hole):
                pieces.append(((part,),))
                continue
            position = 0
            for match in _PERCENT.finditer(part):
                pieces.append((text(part[position : match.start()]),))
                position = match.end()
                if match["kind"] == "%":
                    pieces.append((text("%"),))
                    continue
                value = keyed.get(match["key"]) if match["key"] else next(rest, None)
                pieces.append(self.resolve(value, depth) if value else ((Hole(match["key"] or "value"),),))
            pieces.append((text(part[position:]),))
        return concatenated(pieces)


def _telling(found: Alternatives, node: ast.expr) -> Alternatives:
    return found if all(any(isinstance(part, str) for part in each) for each in found) else _hole(node)


def _some_telling(found: Sequence[Template], node: ast.expr) -> Alternatives:
    telling = [template for template in found if any(isinstance(part, str) for part in template)]
    return _limited(*telling) if telling else _hole(node)


def _is_bare(node: ast.expr) -> bool:
    """Tell whether a value is ``None`` or a number: the name of its variable says more."""
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)


def _hole(node: ast.expr) -> Alternatives:
    return ((Hole(" ".join(ast.unparse(node).split())),),)


def _limited(*templates: Template) -> Alternatives:
    return tuple(dict.fromkeys(templates))[:MAX_ALTERNATIVES]


def _fields(form: str) -> list[tuple[str, str | None]]:
    try:
        return [(constant, name) for constant, name, _, _ in string.Formatter().parse(form)]
    except ValueError:
        return [(form, None)]


def _argument(
    name: str, arguments: Sequence[ast.expr], keyed: dict[str, ast.expr], automatic: Iterator[int]
) -> ast.expr | None:
    key = re.split(r"[.\[]", name, maxsplit=1)[0]
    if key and not key.isdigit():
        return keyed.get(key)
    number = int(key) if key else next(automatic, len(arguments))
    return arguments[number] if number < len(arguments) else None


def _whole(template: Template, change: Callable[[str], str]) -> Template:
    """Apply a function of text to a template as if its holes were words."""
    holes = [part for part in template if isinstance(part, Hole)]
    marked = change("".join(part if isinstance(part, str) else _MARK for part in template))
    parts: list[Part] = []
    for number, piece in enumerate(marked.split(_MARK)):
        if number:
            parts.append(holes[number - 1])
        parts.append(piece)
    return joined(parts)


# Each reader takes the node type it stands behind; a mapping cannot say so.
_READERS: dict[type[ast.expr], Callable[[Resolver, Any, int], Alternatives]] = {
    ast.Constant: Resolver._constant,  # noqa: SLF001  # the table of its own methods
    ast.JoinedStr: Resolver._f_string,  # noqa: SLF001
    ast.FormattedValue: Resolver._placeholder,  # noqa: SLF001
    ast.BinOp: Resolver._operation,  # noqa: SLF001
    ast.IfExp: Resolver._choice,  # noqa: SLF001
    ast.BoolOp: Resolver._either,  # noqa: SLF001
    ast.NamedExpr: Resolver._walrus,  # noqa: SLF001
    ast.Name: Resolver._named,  # noqa: SLF001
    ast.Attribute: Resolver._named,  # noqa: SLF001
    ast.Call: Resolver._call,  # noqa: SLF001
}
