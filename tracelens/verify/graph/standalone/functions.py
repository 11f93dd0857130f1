"""Which functions, methods and attributes a graph of Dynamo may use; the lists are in ``allowed.txt``.

Aten graphs need none of this: their operators are judged by ``operators``.
"""

from __future__ import annotations

import re
from pathlib import Path

from .refusal import RefusalCode, RefusedError


def _load() -> dict[str, frozenset[str]]:
    sections: dict[str, frozenset[str]] = {}
    section = ""
    for line in Path(__file__).with_name("allowed.txt").read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif not line.startswith("#"):
            sections[section] = sections.get(section, frozenset()) | frozenset(line.split())
    return sections


_ALLOWED = _load()
METHODS = _ALLOWED["methods"]
ATTRIBUTES = _ALLOWED["attributes"]
BUILTIN = _ALLOWED["builtins"]

_FOREACH = re.compile(r"_foreach_[a-z0-9_]{1,40}\Z")

_TORCH, _NEURAL = _ALLOWED["torch"], _ALLOWED["torch.nn.functional"]
_PLACES = {
    "torch.": _TORCH | _NEURAL,
    "torch.functional.": _TORCH,
    "torch.nn.functional.": _NEURAL | _TORCH,
    "torch._C._nn.": _NEURAL | _TORCH,
    "torch._C._VariableFunctions.": _TORCH,
    "torch._VF.": _TORCH,
    "operator.": _ALLOWED["operator"],
    "_operator.": _ALLOWED["operator"],
    "math.": _ALLOWED["math"],
    "builtins.": BUILTIN,
    "": BUILTIN,
}
for _part in ("linalg", "fft", "special"):
    _PLACES[f"torch.{_part}."] = _ALLOWED[f"torch.{_part}"]
    # The same functions, as they are called underneath.
    _PLACES[f"torch._C._{_part}."] = frozenset(f"{_part}_{_name}" for _name in _ALLOWED[f"torch.{_part}"])


def checked_function(name: str, line: int | None = None) -> str:
    """Return the full name of a function of Python if it may be called."""
    place, dot, last = name.rpartition(".")
    allowed = _PLACES.get(place + dot, frozenset())
    if name in _ALLOWED["full names"] or last in allowed or (place == "torch" and _FOREACH.match(last)):
        return name
    raise RefusedError(RefusalCode.FUNCTION, f"function {name[:80]}", line)


def checked_method(name: str, line: int | None = None) -> str:
    """Return the name of a method if it may be called on any value of a graph."""
    if name not in METHODS:
        raise RefusedError(RefusalCode.FUNCTION, f"method {name[:80]}", line)
    return name


def checked_attribute(name: str, line: int | None = None) -> str:
    """Return the name of an attribute if it may be read from any value of a graph."""
    if name not in ATTRIBUTES:
        raise RefusedError(RefusalCode.FUNCTION, f"attribute {name[:80]}", line)
    return name
