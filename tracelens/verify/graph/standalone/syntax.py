"""Text to a syntax tree by ``ast.parse`` alone, after a look at what could choke it.

The look is for the sake of the message: a line and what is wrong with it. Whatever
gets past it meets the limits of the process.
"""

from __future__ import annotations

import ast
import re

from .limits import MAX_CHAIN, MAX_DEPTH, MAX_LINE_LENGTH, MAX_LINES, MAX_TEXT_BYTES
from .refusal import RefusalCode, RefusedError

#: Stands where torch printed an inner graph by its class name only.
MISSING_BODY = "_body_that_was_not_printed_"
#: What ``class <lambda>`` is called here: it is no Python.
LAMBDA_CLASS = "_lambda_"

_ODD = re.compile(r"[^\t -~]")
_BRACKET = re.compile(r"[()\[\]{}]")
_STRING = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""")
_PREFIX_CHAIN = re.compile(rf"(?:[-+~]\s*){{{MAX_CHAIN + 1}}}|(?:\bnot\s+){{{MAX_CHAIN + 1}}}")
_ATTRIBUTE_CHAIN = re.compile(rf"(?:\.\s*[A-Za-z_]\w*\s*){{{MAX_CHAIN + 1}}}")
_LAMBDA_CLASS = re.compile(r"^([ \t]*)class <lambda>\(", re.MULTILINE)
#: Where the inner graph has some of its own, torch lists them on lines between the brackets.
_MISSING_BODY = re.compile(r"^([ \t]*self\.\w+ = )(?:<\w+>|GraphModule)\(((?:\n  .*)*\n?)\)[ \t]*$", re.MULTILINE)


def parse_python(text: str) -> ast.Module:
    """Return the tree of a text that torch printed, lines kept."""
    text = _checked(text)
    text = _LAMBDA_CLASS.sub(rf"\1class {LAMBDA_CLASS}(", text)
    text = _MISSING_BODY.sub(lambda match: f"{match[1]}{MISSING_BODY}(" + "\n" * match[2].count("\n") + ")", text)
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise RefusedError(RefusalCode.SYNTAX, f"not Python: {error.msg}", error.lineno) from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise RefusedError(RefusalCode.TOO_LARGE, f"Python cannot parse it: {type(error).__name__}") from error


def dotted_name(node: ast.AST) -> str | None:
    """Return ``a.b.c`` of names and attributes alone, ``None`` for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else None


def shown(node: ast.AST) -> str:
    """Return source text for a message, short and in one line."""
    name = dotted_name(node)
    if name is not None:
        return name[:80]
    if isinstance(node, ast.Call):
        return f"{shown(node.func)}(…)"
    if isinstance(node, ast.Constant):
        return f"a literal of type {type(node.value).__name__}"
    return type(node).__name__


def _checked(text: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise RefusedError(RefusalCode.TOO_LARGE, f"text of more than {MAX_TEXT_BYTES} bytes")
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise RefusedError(RefusalCode.TOO_LARGE, f"more than {MAX_LINES} lines")
    depth = 0
    checked = []
    for number, line in enumerate(lines, 1):
        # Comments quote the user's program, in any script and with any brackets.
        checked.append("" if line.lstrip().startswith("#") else _plain(line.rstrip("\r"), number))
        depth = _depth_after(checked[-1], number, depth)
    return "\n".join(checked)


def _plain(line: str, number: int) -> str:
    if len(line) > MAX_LINE_LENGTH:
        raise RefusedError(RefusalCode.TOO_LARGE, f"line of more than {MAX_LINE_LENGTH} characters", number)
    if not line.isascii():
        line = line.partition("#")[0]
    # Python would read some letters outside ASCII as if they were inside (NFKC).
    odd = _ODD.search(line)
    if odd:
        raise RefusedError(RefusalCode.CONSTRUCT, f"character U+{ord(odd[0]):04X} outside a comment", number)
    return line


def _depth_after(line: str, number: int, depth: int) -> int:
    bare = _STRING.sub("''", line).partition("#")[0]
    if _PREFIX_CHAIN.search(bare) or _ATTRIBUTE_CHAIN.search(bare):
        raise RefusedError(RefusalCode.TOO_LARGE, f"more than {MAX_CHAIN} operators or attributes in a row", number)
    for bracket in _BRACKET.findall(bare):
        depth += 1 if bracket in "([{" else -1
        if depth > MAX_DEPTH:
            raise RefusedError(RefusalCode.TOO_LARGE, f"brackets nested deeper than {MAX_DEPTH}", number)
    return depth
