"""Rule folders that installed distributions bring along, found without running any of their code.

A distribution names its folder by an entry point of the group
``tracelens.rules``: its value is the package that the folder is, written with
dots. Only metadata and rule files are read; the package is never imported.
A pack is used when it is asked for by name: looking through everything that is
installed costs more than reading a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import Path

from tracelens.errors import InputError
from tracelens.record import Record

GROUP = "tracelens.rules"
#: What an argument begins with that names a pack and no folder.
PREFIX = "pack:"
_VALUE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


class Pack(Record):
    """A folder of rules; ``distribution`` is what brought it, with its version."""

    name: str
    distribution: str
    folder: Path


def installed_packs() -> tuple[Pack, ...]:
    """Return the packs that are installed, by name; the first one of a name counts, as with imports."""
    found: dict[str, Pack] = {}
    for distribution in distributions():
        for point in _points(distribution):
            pack = _pack(point, distribution)
            if pack is not None:
                found.setdefault(pack.name, pack)
    return tuple(found[name] for name in sorted(found))


def rule_folders(arguments: Iterable[str]) -> Iterator[Path]:
    """Yield the folder that each argument means; raises ``InputError`` for a pack that is not there."""
    packs: dict[str, Pack] | None = None
    for argument in arguments:
        name = argument.removeprefix(PREFIX)
        if name == argument:
            yield Path(argument)
            continue
        if packs is None:
            packs = {pack.name: pack for pack in installed_packs()}
        if name not in packs:
            known = ", ".join(packs) or "none"
            raise InputError(argument, f"no such pack of rules is installed; there are: {known}")
        yield packs[name].folder


def _points(distribution: Distribution) -> Iterator[EntryPoint]:
    try:
        # Most have none; only a text search is cheap enough for all of them.
        if GROUP in (distribution.read_text("entry_points.txt") or ""):
            yield from (point for point in distribution.entry_points if point.group == GROUP)
    except (OSError, ValueError, AttributeError):
        # One that is damaged must not hide the others.
        return


def _pack(point: EntryPoint, distribution: Distribution) -> Pack | None:
    if not _VALUE.fullmatch(point.value):
        return None
    folder = Path(str(distribution.locate_file(point.value.replace(".", "/"))))
    if not folder.is_dir():
        return None
    label = f"{distribution.metadata['Name']} {distribution.version}"
    return Pack(name=point.name, distribution=label, folder=folder)
