"""Compiled rules in the user's cache: one file, that of the present rules."""

from __future__ import annotations

from tracelens.private_cache import drop_older, write_private


def write_cached(name: str, content: bytes, *, prefix: str) -> None:
    """Keep bytes under a name and drop what stood under other names of that prefix."""
    if write_private(name, content):
        drop_older(name, prefix=prefix, kept=1)
