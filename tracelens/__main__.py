"""``python -m tracelens`` is the same as ``tracelens``."""

from __future__ import annotations

from tracelens.cli import console

console()
