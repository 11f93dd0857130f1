"""Message templates: constant text with holes where a value goes.

A template is what stays of a message in every run that prints it, so it can
be named by a short hash. The hash passes over what releases change without
changing the message: the expressions in the holes, line breaks, numbers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

#: More alternatives than this of one message are of no use to anybody.
MAX_ALTERNATIVES = 6
_DIGEST_LETTERS = 8
_BLANKS = re.compile(r"\s+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Hole:
    """A place that is filled at run time; ``expression`` is the source of its value."""

    expression: str


Part: TypeAlias = str | Hole
Template: TypeAlias = tuple[Part, ...]
Alternatives: TypeAlias = tuple[Template, ...]


def text(value: str) -> Template:
    """Return a template without a hole."""
    return (value,) if value else ()


def joined(parts: Iterable[Part]) -> Template:
    """Return the parts with neighbouring texts made one."""
    result: list[Part] = []
    for part in parts:
        if isinstance(part, str) and result and isinstance(result[-1], str):
            result[-1] += part
        elif part != "":
            result.append(part)
    return tuple(result)


def concatenated(pieces: Sequence[Alternatives]) -> Alternatives:
    """Return every way to put one alternative of each piece in a row."""
    ways = (joined(part for template in way for part in template) for way in product(*pieces))
    return tuple(dict.fromkeys(template for template, _ in zip(ways, range(MAX_ALTERNATIVES), strict=False)))


def flat(template: Template) -> str:
    """Spell a template as the map sees it: a hole is ``{}``, blanks are single."""
    spelled = "".join(part if isinstance(part, str) else "{}" for part in template)
    return _BLANKS.sub(" ", spelled).strip()


def digest(template: Template) -> str:
    """Return a short hash that releases share as long as they say the same."""
    normal = _NUMBER.sub("0", flat(template))
    return hashlib.sha256(normal.encode()).hexdigest()[:_DIGEST_LETTERS]


def is_opaque(template: Template) -> bool:
    """Tell whether nothing of the message is known before it is printed."""
    return not any(character.isalpha() for part in template if isinstance(part, str) for character in part)
