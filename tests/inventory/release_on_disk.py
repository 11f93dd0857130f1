"""A small torch on disk, for tests that must not depend on an installed one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus.lab.inventory.releases import Release, find_releases, read_release
from corpus.lab.inventory.sites import Site


def make_release(folder: Path, files: dict[str, str], *, package: str = "torch", version: str = "2.9.0") -> Release:
    """Write a package whose files are given by their place in it, and find it again."""
    for name, source in {"__init__.py": "", "version.py": f"__version__ = '{version}+cpu'\n", **files}.items():
        file = folder / package / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    (release,) = find_releases(str(folder))
    return release


def sites_of(folder: Path, source: str, *, place: str = "_inductor/codecache.py", **others: str) -> tuple[Site, ...]:
    """Return the message sites of one module, with other modules of the release beside it."""
    files = {place: source, **{name.replace("__", "/") + ".py": text for name, text in others.items()}}
    return read_release(make_release(folder, files))


def registry_of(entries: Mapping[str, Sequence[Mapping[str, object]]]) -> dict[str, str]:
    """Return the file in which torch lists its graph breaks."""
    return {"_dynamo/graph_break_registry.json": json.dumps(entries)}
