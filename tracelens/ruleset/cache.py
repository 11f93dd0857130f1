"""Compiled rules in the user's cache: one file, that of the present rules."""

from __future__ import annotations

from contextlib import suppress

from tracelens.private_cache import cache_folder, read_private, write_private


def read_cached(name: str) -> str | None:
    """Return a cached text, or ``None`` if there is none that can be trusted."""
    content = read_private(name)
    try:
        return None if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def write_cached(name: str, text: str, *, prefix: str) -> None:
    """Keep a text under a name and drop what stood under other names of that prefix."""
    folder = cache_folder()
    if folder is None or not write_private(name, text.encode("utf-8")):
        return
    # Written once for each change of a rule, so its imports are not for every start.
    from pathlib import Path

    with suppress(OSError):
        for old in Path(folder).glob(f"{prefix}*"):
            if old.name != name:
                old.unlink(missing_ok=True)
