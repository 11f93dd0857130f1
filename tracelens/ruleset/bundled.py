"""The rules to analyse with: ours, and those of folders that the user names.

Our own come compiled from the wheel or from the user's cache; YAML is read
only in a checkout whose rules have changed. Rules from other folders are read
afresh each time: their author wants to see problems, and RE2 has to agree.
"""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Callable, Sequence

from tracelens.errors import InputError
from tracelens.private_cache import open_private
from tracelens.ruleset.compiled import Content, RuleSet, StaleError, entries_of, fingerprint, undump
from tracelens.typed import TYPE_CHECKING, suppress

if TYPE_CHECKING:
    from pathlib import Path  # its import costs a start-up more than all the rules

_PREFIX = "rules-"


def load_ruleset(folders: Sequence[str | Path] = ()) -> RuleSet:
    """Return our rules and those of the folders; ``pack:NAME`` means the folder of an installed pack.

    Raises ``RuleFileError`` with every problem of every file and
    ``InputError`` for a folder that cannot be read.
    """
    ruleset = _bundled()
    if not folders:
        return ruleset
    # A foreign folder is rare; only then is YAML worth its import.
    from tracelens.ruleset.load import bundled_taxonomy, load_folders, load_labels

    labels = load_labels(bundled_taxonomy())
    foreign = load_folders(_paths(folders), labels=labels, foreign=True, taken=ruleset.rules)
    return RuleSet((*ruleset.entries, *entries_of(foreign)))


def _paths(folders: Sequence[str | Path]) -> list[Path]:
    names = [str(folder) for folder in folders]
    if any(name.startswith("pack:") for name in names):
        # Looking through what is installed costs more than all else here.
        from tracelens.ruleset.packs import rule_folders

        return list(rule_folders(names))
    from pathlib import Path

    return [Path(name) for name in names]


def _bundled() -> RuleSet:
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    try:
        descriptor = os.open(os.path.join(package, "_rules.json"), os.O_RDONLY | getattr(os, "O_BINARY", 0))
        return undump(_content_of(descriptor), key="")
    except (OSError, StaleError):
        return _from_files(package)


class _Opened:
    """A file of which no more is read than what is asked for: of most rules next to nothing is."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice, /) -> bytes:
        return os.pread(self._descriptor, part.stop - part.start, part.start)

    # At the end of Python the names of modules may be gone.
    def __del__(self, _close: Callable[[int], None] = os.close) -> None:
        _close(self._descriptor)


def _content_of(descriptor: int) -> Content:
    if hasattr(os, "pread"):
        return _Opened(descriptor)
    with open(descriptor, "rb") as file:
        return file.read()


def _from_files(package: str) -> RuleSet:
    folder, taxonomy = os.path.join(package, "_rules"), os.path.join(package, "_taxonomy.yml")
    if not os.path.isdir(folder):
        checkout = os.path.dirname(package)
        folder, taxonomy = os.path.join(checkout, "rules"), os.path.join(checkout, "taxonomy.yml")
    # In a checkout the code that compiles rules changes as well as the rules.
    code = [(os.path.join(package, room), ".py") for room in ("ruleset", "scan")]
    try:
        key = fingerprint((os.path.split(taxonomy), (folder, ".yml"), *code))
    except OSError as error:
        raise InputError(folder, f"the rules of tracelens cannot be read: {error.strerror or error}") from error
    name = f"{_PREFIX}{crc32(key.encode()):08x}.json"
    cached = open_private(name)
    if cached is not None:
        with suppress(OSError, StaleError):
            return undump(_content_of(cached), key=key)
    return _from_yaml(folder, taxonomy, name, key)


def _from_yaml(folder: str, taxonomy: str, name: str, key: str) -> RuleSet:
    from pathlib import Path

    from tracelens.ruleset.cache import write_cached
    from tracelens.ruleset.dump import dump
    from tracelens.ruleset.load import load_folders, load_labels
    from tracelens.ruleset.model import NO_EXAMPLES

    loaded = load_folders([Path(folder)], labels=load_labels(Path(taxonomy)), foreign=False)
    # What is stored leaves them out, and a first run shall be like the next.
    rules = tuple(rule._replace(examples=NO_EXAMPLES) for rule in loaded)
    write_cached(name, dump(rules, key=key), prefix=_PREFIX)
    return RuleSet(entries_of(rules))
