"""Try a rule on what its file says of it: its own examples and the cases of a checkout's corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tracelens.engine.trial import try_rule
from tracelens.record import Record
from tracelens.ruleset.model import Rule
from tracelens.typed import Enum

#: Returns the codes of the findings in a log.
Diagnose = Callable[[Path], frozenset[str]]


class Verdict(Enum):
    """How a trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"


class Trial(Record):
    """One text or case that a rule was tried on; ``where`` is its place in the rule file."""

    code: str
    where: str
    subject: str
    verdict: Verdict
    wanted: bool


def try_examples(rule: Rule) -> Iterator[Trial]:
    """Try a rule on the examples in its file."""
    for wanted, key, texts in (
        (True, "positive", rule.examples.positive),
        (False, "negative", rule.examples.negative),
    ):
        for number, text in enumerate(texts):
            verdict = Verdict.PASSED if bool(try_rule(rule, text)) is wanted else Verdict.FAILED
            yield Trial(code=rule.code, where=f"examples.{key}[{number}]", subject=text, verdict=verdict, wanted=wanted)


def try_cases(rule: Rule, corpus: Path, diagnose: Diagnose) -> Iterator[Trial]:
    """Try a rule on the cases that it names, as ``analyze`` would with all other rules."""
    for wanted, key, cases in ((True, "matches", rule.matches), (False, "rejects", rule.rejects)):
        for number, case in enumerate(cases):
            log = corpus / case / "input.log"
            if not log.is_file():
                verdict = Verdict.MISSING
            else:
                verdict = Verdict.PASSED if (rule.code in diagnose(log)) is wanted else Verdict.FAILED
            yield Trial(code=rule.code, where=f"{key}[{number}]", subject=case, verdict=verdict, wanted=wanted)
