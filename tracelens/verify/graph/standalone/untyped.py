"""Names for what has no type here: JSON by design, and torch because it is checked without."""

from __future__ import annotations

from typing import Any, TypeAlias

#: A part of the IR.
Json: TypeAlias = Any
#: An object of torch, or whatever a graph takes and returns.
Untyped: TypeAlias = Any
