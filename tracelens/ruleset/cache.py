"""Compiled rules in the user's cache: one file, that of the present rules."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tracelens.private_cache import cache_folder, write_private


def write_cached(name: str, content: bytes, *, prefix: str) -> None:
    """Keep bytes under a name and drop what stood under other names of that prefix."""
    folder = cache_folder()
    if folder is None or not write_private(name, content):
        return
    with suppress(OSError):
        for old in Path(folder).glob(f"{prefix}*"):
            if old.name != name:
                old.unlink(missing_ok=True)
