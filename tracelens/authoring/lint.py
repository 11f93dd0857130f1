"""Everything that is wrong, or doubtful, with rule files: all of it at once, with file, line and place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tracelens.authoring.impossible import is_empty_range, why_nothing_matches
from tracelens.authoring.leaves import needless_members, patterns_of
from tracelens.authoring.overlap import find_overlaps
from tracelens.authoring.trials import Verdict, try_examples
from tracelens.errors import RuleProblem
from tracelens.findings import Role
from tracelens.record import Record
from tracelens.ruleset.compiled import RuleSet, entries_of
from tracelens.ruleset.load import load_labels, read_content, survey_folders
from tracelens.ruleset.model import Rule
from tracelens.ruleset.nodes import Node, Scalar, node_at, parse_nodes
from tracelens.ruleset.reading import path_of, steps_of
from tracelens.ruleset.triggers import Steps
from tracelens.typed import Enum

_HARMLESS = "none/clean"
#: What keeps a rule of ours honest; others have no corpus.
_CASES = {"matches": "names no case that it is for", "rejects": "names no case that looks like it and is not"}


class Gravity(Enum):
    """An error keeps a rule from being loaded or makes it wrong; a warning is for its author to judge."""

    ERROR = "error"
    WARNING = "warning"


class Remark(Record):
    """One thing to say of one place in a rule file."""

    gravity: Gravity
    problem: RuleProblem


def lint_labels(taxonomy: Path, rules: RuleSet) -> tuple[Remark, ...]:
    """Return a remark on each label of a taxonomy that no rule answers."""
    file, answered = _File(taxonomy), {rule.label for rule in rules.rules}
    silent = (label for label in load_labels(taxonomy) if label not in answered)
    return tuple(file.warning(tuple(label.split("/")), f"no rule answers {label}") for label in silent)


def lint_folders(
    folders: Sequence[Path], *, labels: tuple[str, ...], ours: RuleSet | None = None, corpus: Path | None = None
) -> tuple[int, tuple[Remark, ...]]:
    """Return the number of rules that can be read, and all remarks in file and line order.

    ``ours`` are the rules that those of the folders stand beside; ``None`` when
    they are ours. With a ``corpus``, cases that are named have to be there.
    """
    taken = ours.rules if ours else ()
    survey = survey_folders(folders, labels=labels, foreign=ours is not None, taken=taken)
    remarks = [Remark(gravity=Gravity.ERROR, problem=problem) for problem in survey.problems]
    everything = RuleSet((*(ours.entries if ours else ()), *entries_of(_once(survey.rules))))
    for path, rule in survey.rules:
        file = _File(path)
        remarks += _errors(rule, file, corpus)
        remarks += _warnings(rule, file, own=ours is None)
        remarks += _overlaps(rule, file, everything)
    remarks.sort(key=lambda remark: (remark.problem.file, remark.problem.line))
    return len(survey.rules), tuple(remarks)


def _once(rules: Sequence[tuple[Path, Rule]]) -> list[Rule]:
    return list({rule.code: rule for _, rule in rules}.values())


class _File:
    """One rule file; makes remarks on places in it."""

    def __init__(self, path: Path) -> None:
        self._name = str(path)
        document = parse_nodes(read_content(path), file=self._name)
        self._document: Node | None = None if isinstance(document, RuleProblem) else document

    def error(self, steps: Steps, problem: str) -> Remark:
        return self._remark(Gravity.ERROR, steps, problem)

    def warning(self, steps: Steps, problem: str) -> Remark:
        return self._remark(Gravity.WARNING, steps, problem)

    def _remark(self, gravity: Gravity, steps: Steps, problem: str) -> Remark:
        line = 1
        if self._document is not None:
            if isinstance(node_at(self._document, steps[:-1]), Scalar):
                steps = steps[:-1]  # a pattern that is written without keys
            line = node_at(self._document, steps).line
        where = path_of("", steps) or "file"
        return Remark(gravity=gravity, problem=RuleProblem(file=self._name, line=line, where=where, problem=problem))


def _errors(rule: Rule, file: _File, corpus: Path | None) -> Iterator[Remark]:
    for steps, pattern in patterns_of(rule):
        reason = why_nothing_matches(pattern.source)
        if reason:
            yield file.error(steps, f"the pattern can match nothing: it {reason}")
    for name, bounds in rule.versions:
        if is_empty_range(bounds):
            yield file.error(("versions", name), f"no version lies in {bounds!r}, so the rule is never asked")
    for trial in try_examples(rule):
        if trial.verdict is not Verdict.PASSED:
            wanted = "is not matched by this rule" if trial.wanted else "is matched by this rule"
            yield file.error(steps_of(trial.where), f"the example {wanted}")
    if corpus is not None:
        yield from _missing_cases(rule, file, corpus)


def _missing_cases(rule: Rule, file: _File, corpus: Path) -> Iterator[Remark]:
    named: list[tuple[Steps, str]] = [
        (("fixes", number, "proven"), fix.proven) for number, fix in enumerate(rule.fixes) if fix.proven
    ]
    for key, cases in (("matches", rule.matches), ("rejects", rule.rejects)):
        named += [((key, number), case) for number, case in enumerate(cases)]
    for steps, case in named:
        if not (corpus / case).is_dir():
            yield file.error(steps, f"there is no case {case} in {corpus.name}")


def _warnings(rule: Rule, file: _File, *, own: bool) -> Iterator[Remark]:
    if not rule.references:
        yield file.warning(("references",), "names no reference")
    for key, problem in _CASES.items():
        if own and not getattr(rule, key):
            yield file.warning((key,), problem)
    if not rule.examples.positive:
        yield file.warning(("examples",), "holds no message that it is for, so that nobody can see how it looks")
    if not rule.fixes and rule.label != _HARMLESS and rule.role is Role.CAUSE:
        yield file.warning(("fixes",), "names no fix; say in the explanation why there is none")
    for root, conditions in (("when", (rule.when,)), ("unless", rule.unless)):
        for number, condition in enumerate(conditions):
            start: Steps = (root,) if root == "when" else (root, number)
            for steps, covering in needless_members(condition, start):
                yield file.warning(steps, f"never leads to a match: {path_of('', covering)} holds wherever it does")


def _overlaps(rule: Rule, file: _File, everything: RuleSet) -> Iterator[Remark]:
    for _, other, example in find_overlaps([rule], everything):
        if example is None:
            yield file.warning(("examples", "positive"), f"{other} answers for every example: this rule is shadowed")
        else:
            steps: Steps = ("examples", "positive", example)
            yield file.warning(steps, f"{other} claims it too, and only the order of the codes decides")
