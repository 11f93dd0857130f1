"""Compiled rules in the user's cache: the files of the latest few checkouts, which may be used by turns."""

from __future__ import annotations

from tracelens.private_cache import drop_older, write_private

_KEPT = 3


def write_cached(name: str, content: bytes, *, prefix: str) -> None:
    """Keep bytes under a name and drop all but the latest that stand under names of that prefix."""
    if write_private(name, content):
        drop_older(name, prefix=prefix, kept=_KEPT)
