"""The rules to analyse with: ours, and those of folders that the user names.

Our own come compiled from the wheel or from the user's cache; YAML is read
only in a checkout whose rules have changed. Rules from other folders are read
afresh each time: their author wants to see problems, and RE2 has to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tracelens.errors import InputError
from tracelens.ruleset.cache import read_cached, write_cached
from tracelens.ruleset.compiled import Entry, RuleSet, StaleError, digest, dump, entries_of, undump

_PREFIX = "rules-"


def load_ruleset(folders: Sequence[Path] = ()) -> RuleSet:
    """Return our rules and those of the folders.

    Raises ``RuleFileError`` with every problem of every file and
    ``InputError`` for a folder that cannot be read.
    """
    ruleset = RuleSet(_bundled())
    if not folders:
        return ruleset
    # A foreign folder is rare; only then is YAML worth its import.
    from tracelens.ruleset.load import bundled_taxonomy, load_folders, load_labels

    labels = load_labels(bundled_taxonomy())
    foreign = load_folders(folders, labels=labels, foreign=True, taken=ruleset.rules)
    return RuleSet((*ruleset.entries, *entries_of(foreign)))


def _bundled() -> tuple[Entry, ...]:
    package = Path(__file__).resolve().parent.parent
    try:
        return undump((package / "_rules.json").read_text(encoding="utf-8"), key="")
    except (OSError, UnicodeDecodeError, StaleError):
        return _from_files(package)


def _from_files(package: Path) -> tuple[Entry, ...]:
    shipped = package / "_rules"
    folder, taxonomy = (
        (shipped, package / "_taxonomy.yml")
        if shipped.is_dir()
        else (package.parent / "rules", package.parent / "taxonomy.yml")
    )
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".yml")
        # In a checkout the code that compiles rules changes as well as the rules.
        code = sorted(path for room in ("ruleset", "scan") for path in (package / room).glob("*.py"))
        key = digest((taxonomy, *files, *code))
    except OSError as error:
        raise InputError(str(folder), f"the rules of tracelens cannot be read: {error.strerror or error}") from error
    name = f"{_PREFIX}{key[:32]}.json"
    cached = read_cached(name)
    if cached is not None:
        try:
            return undump(cached, key=key)
        except StaleError:
            pass
    from tracelens.ruleset.load import load_folders, load_labels

    rules = load_folders([folder], labels=load_labels(taxonomy), foreign=False)
    write_cached(name, dump(rules, key=key), prefix=_PREFIX)
    return entries_of(rules)
