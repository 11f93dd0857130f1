"""Every class and constant of one release, so that names lead from file to file."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from corpus.lab.inventory.expressions import Resolver
from corpus.lab.inventory.modules import FunctionNode, Module, returned, values_before
from corpus.lab.inventory.templates import Alternatives, Hole, Template, concatenated

#: Files that define exceptions for others are asked before files that happen to use the same name.
_HOMES = ("/exc", "/errors", "symbolic_shapes", "_guards", "/exceptions")


class Index:
    """Finds classes by their bare name and constants by ``module.NAME``."""

    def __init__(self, modules: Iterable[Module]) -> None:
        """Take every module of a release."""
        self._classes: dict[str, tuple[Module, ast.ClassDef]] = {}
        self._constants: dict[tuple[str, str], ast.expr] = {}
        ranked = sorted(modules, key=lambda module: (not module.name.endswith(_HOMES), module.name))
        for module in ranked:
            tail = module.name.rpartition("/")[2]
            for name, node in module.classes.items():
                self._classes.setdefault(name, (module, node))
            for name, value in module.constants.items():
                self._constants.setdefault((tail, name), value)

    def printed_name(self, bare: str, module: Module) -> str:
        """Return an exception class as a traceback prints it."""
        if bare in module.classes:
            return f"{module.dotted}.{bare}"
        if hasattr(builtins, bare):
            return bare
        known = self._classes.get(bare)
        return f"{known[0].dotted}.{bare}" if known else bare

    def is_exception(self, bare: str, module: Module) -> bool:
        """Tell whether a bare name is an exception class, as far as it shows."""
        builtin = getattr(builtins, bare, None)
        if isinstance(builtin, type):
            return issubclass(builtin, BaseException)
        return bare in module.classes or bare in self._classes or bare.endswith(("Error", "Exception", "Warning"))

    def lookup(self, module: Module, function: FunctionNode | None, line: int, name: str) -> tuple[ast.expr, ...]:
        """Return the values that a dotted name may have at a line."""
        if name.endswith("()"):
            called = module.functions.get(name[:-2])
            return returned(called) if called and called is not function else ()
        if function is not None and "." not in name:
            local = values_before(name, function, line)
            if local:
                return local
        if "." not in name:
            value = module.constants.get(name)
            return (value,) if value is not None else ()
        owner, _, last = name.rpartition(".")
        if not last.isupper():
            return ()
        value = self._constants.get((owner.rpartition(".")[2], last))
        return (value,) if value is not None else ()

    def own_message(self, bare: str, module: Module, call: ast.Call | None, site: Resolver) -> Alternatives | None:
        """Return what an exception class makes of its arguments; ``None`` where it prints them as they are."""
        defined = self._definition(bare, module)
        if defined is None:
            return None
        home, node = defined
        constructor, spoken = _method(node, "__init__"), _method(node, "__str__")
        if constructor is None and spoken is None:
            bases = (ast.unparse(base).rpartition(".")[2] for base in node.bases)
            made = (self.own_message(base, home, call, site) for base in bases if base != bare)
            return next((each for each in made if each is not None), None)
        method = spoken or constructor
        assert method is not None  # noqa: S101  # one of the two is there
        values = returned(method) if spoken else _super_arguments(method)
        if not values:
            return None
        inner = Resolver(lambda name: self.lookup(home, method, values[0].lineno, name))
        arguments = _bound(constructor, call) if constructor else {}
        results = [
            filled
            for value in values
            for template in inner.resolve(value)
            for filled in _with_arguments(template, arguments, site)
        ]
        return tuple(dict.fromkeys(results))

    def _definition(self, bare: str, module: Module) -> tuple[Module, ast.ClassDef] | None:
        return (module, module.classes[bare]) if bare in module.classes else self._classes.get(bare)


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == name), None)


def _super_arguments(constructor: ast.FunctionDef) -> tuple[ast.expr, ...]:
    for node in ast.walk(constructor):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "__init__":
            continue
        arguments = node.args if ast.unparse(node.func.value).startswith("super(") else node.args[1:]
        return tuple(arguments[:1])
    return ()


def _with_arguments(template: Template, arguments: dict[str, ast.expr], site: Resolver) -> Alternatives:
    pieces: list[Alternatives] = []
    for part in template:
        name = part.expression.removeprefix("self.") if isinstance(part, Hole) else ""
        name = name.removesuffix(" or ''")
        if name in arguments:
            pieces.append(site.resolve(arguments[name]))
        else:
            pieces.append(((part,),))
    return concatenated(pieces) if pieces else ((),)


def _bound(constructor: ast.FunctionDef, call: ast.Call | None) -> dict[str, ast.expr]:
    names = [argument.arg for argument in constructor.args.args[1:]]
    defaults = constructor.args.defaults
    bound = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) if defaults else {}
    bound = {name: value for name, value in bound.items() if ast.unparse(value) != "None"}
    if call is not None:
        bound |= dict(zip(names, call.args, strict=False))
        bound |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    return bound
