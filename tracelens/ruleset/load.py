"""Folders of rule files and the list of labels, read strictly.

Every problem of every file is reported at once. Rules register by being a
file: a sorted listing, one rule each, each code once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tracelens.errors import InputError, RuleFileError, RuleProblem
from tracelens.ruleset.model import NO_EXAMPLES, Examples, Rule
from tracelens.ruleset.nodes import MAX_BYTES, node_at, parse_nodes
from tracelens.ruleset.read_rule import read_rule
from tracelens.ruleset.reading import Reader, path_of
from tracelens.ruleset.triggers import find_deafness

#: Nobody reads more rules than this; a folder with more is a mistake.
MAX_FILES = 5000

_HARMLESS = "none/clean"
#: What helps a rule that is deaf.
_HEARD = "give it a definite text, or keep it to what the grammar begins by itself (not_in: [text, record])"


class Survey(NamedTuple):
    """Rules with the files they came from, and every problem of every file in file and line order."""

    rules: tuple[tuple[Path, Rule], ...]
    problems: tuple[RuleProblem, ...]


def bundled_folder() -> Path:
    """Return the folder of our own rules: in the wheel, else beside the package."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_rules"
    return shipped if shipped.is_dir() else package.parent / "rules"


def bundled_taxonomy() -> Path:
    """Return the file of labels: in the wheel, else beside the package."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_taxonomy.yml"
    return shipped if shipped.is_file() else package.parent / "taxonomy.yml"


def rule_files(folder: Path) -> tuple[Path, ...]:
    """Return the rule files of a folder in order, or the one file named; raises ``InputError`` if it is neither."""
    if folder.is_file():
        return (folder,)
    try:
        names = sorted(path for path in folder.iterdir() if path.suffix in (".yml", ".yaml") and path.is_file())
    except OSError as error:
        raise InputError(str(folder), f"cannot read rules: {error.strerror or error}") from error
    if len(names) > MAX_FILES:
        raise InputError(str(folder), f"holds more than {MAX_FILES} rule files")
    return tuple(names)


def load_labels(taxonomy: Path) -> tuple[str, ...]:
    """Return every label, ``cause/subcause``, in file order."""
    return tuple(load_meanings(taxonomy))


def load_meanings(taxonomy: Path) -> dict[str, str]:
    """Return every label with what it covers, in file order."""
    document = parse_nodes(read_content(taxonomy), file=taxonomy.name)
    if isinstance(document, RuleProblem):
        raise RuleFileError((document,))
    reader = Reader(taxonomy.name)
    meanings: dict[str, str] = {}
    causes = ("toolchain", "cache", "dynamic-shapes", "abi", "outside", "none")
    for cause, node in reader.entries(document, "", causes).items():
        names = [key.text for key, _ in getattr(node, "entries", ())]
        for name, text in reader.entries(
            node, cause, dict.fromkeys(names), required=("",) if not names else ()
        ).items():
            meanings[f"{cause}/{name}"] = reader.text(text, f"{cause}.{name}")
    if reader.problems:
        raise RuleFileError(tuple(reader.problems))
    return meanings


def load_examples(path: Path) -> Examples:
    """Return the examples of one rule file that was found sound before; none where it is gone."""
    if not path.is_file():
        return NO_EXAMPLES
    rule, problems = read_rule(
        read_content(path), file=str(path), labels=load_labels(bundled_taxonomy()), foreign=False
    )
    if rule is None:
        raise RuleFileError(problems)
    return rule.examples


def load_folders(
    folders: Iterable[Path], *, labels: tuple[str, ...], foreign: bool, taken: Sequence[Rule] = ()
) -> tuple[Rule, ...]:
    """Return the rules of some folders in order of their codes.

    ``taken`` are rules already there, whose codes and names are not free any
    more. Raises ``RuleFileError`` with all that is wrong.
    """
    survey = survey_folders(folders, labels=labels, foreign=foreign, taken=taken)
    if survey.problems:
        raise RuleFileError(survey.problems)
    return tuple(sorted((rule for _, rule in survey.rules), key=lambda rule: rule.code))


def survey_folders(
    folders: Iterable[Path], *, labels: tuple[str, ...], foreign: bool, taken: Sequence[Rule] = ()
) -> Survey:
    """Return what can be read of some folders, and all that is wrong."""
    rules: list[tuple[Path, Rule]] = []
    problems: list[RuleProblem] = []
    owners = {word: f"{rule.code}-{rule.name}" for rule in taken for word in (rule.code, rule.name, *rule.aliases)}
    for path in (path for folder in folders for path in rule_files(folder)):
        content = read_content(path)
        rule, found = read_rule(content, file=str(path), labels=labels, foreign=foreign)
        problems += found
        if rule is None:
            continue
        rules.append((path, rule))
        problems += _deafness(rule, content, str(path))
        for where, word in (("code", rule.code), ("name", rule.name), *(("aliases", name) for name in rule.aliases)):
            if word in owners:
                problem = f"{word} is taken by {owners[word]}"
                problems.append(RuleProblem(file=str(path), line=1, where=where, problem=problem))
            owners.setdefault(word, path.name)
    problems.sort(key=lambda problem: (problem.file, problem.line))
    return Survey(tuple(rules), tuple(problems))


def _deafness(rule: Rule, content: bytes, file: str) -> Iterator[RuleProblem]:
    """Yield a problem for every way to match that a scan of a large log would miss."""
    if rule.label == _HARMLESS:
        # It only excuses what others found, and needs to be heard no further than they are.
        return
    for steps, reason in find_deafness(rule.when):
        document = parse_nodes(content, file=file)
        line = 1 if isinstance(document, RuleProblem) else node_at(document, ("when", *steps)).line
        problem = f"deaf: a scan of a large log cannot look for it ({reason}); {_HEARD}"
        yield RuleProblem(file=file, line=line, where=path_of("when", steps), problem=problem)


def read_content(path: Path) -> bytes:
    """Return what a rule file holds, as far as a sound one can go; raises ``InputError`` if it cannot be read."""
    try:
        with path.open("rb") as file:
            # One byte more than is allowed is enough to be refused.
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from error
