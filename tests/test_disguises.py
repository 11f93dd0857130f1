"""A log in disguise gets the answer of the log itself.

Whatever decorates a log takes nothing away, so nothing may change. Where lines
are missing or torn, the answer may become weaker; it may not become another
cause that is said to be certain. By default each disguise is put on a sample
of the corpus, the same in each run; ``--all-disguises`` puts it on every case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from corpus.score import UNEXPLAINED, Case
from tests.corpus_cases import all_cases, diagnose_case, our_rules
from tests.disguise import crowds, cuts, damage, decorations, exports, languages, pages, quoting, wrapping
from tests.disguise.disguise import Disguise
from tests.disguise.pairs import clean_cases, failing_cases, joined, pairs_of
from tracelens.api import analyze_text
from tracelens.findings import Confidence, Diagnosis, RootCause, Severity

FAMILIES = {
    module.__name__.rpartition(".")[2]: module.DISGUISES
    for module in (decorations, damage, wrapping, quoting, pages, exports, crowds, cuts, languages)
}
DISGUISES = {f"{family}: {each.name}": each for family, members in FAMILIES.items() for each in members}
#: Families of which one may be put on over the other, in this order.
ORDER = ("damage", "decorations", "quoting")

_SAMPLE = 30
_COMPOSITIONS, _ALL_COMPOSITIONS = 150, 3000
_PAIRS, _ALL_PAIRS = 150, 5000
#: A longer log shows nothing more than a short one, and is long in disguise.
_MAX_LENGTH = 300_000
_ROOT_CAUSES = frozenset(cause.value for cause in RootCause)
_NAMES_A_PROCESS = re.compile(r"\[rank\d|\[default\d|pid=\d|local_rank")

_HEADLESS = "an excerpt without its head: nothing shows that the frames were not printed so deep"
_WENT_ON = "a process that goes on for ten thousand steps waits for nothing"
_IN_STEP = "lines that bear no name of a process may be of either of two that write in step"
_BACKWARDS = "read from its end, a log says last what came first, and nothing after that ends the run"
#: What is answered otherwise, and why nobody can do better.
KNOWN: dict[tuple[str, str], str] = {
    ("damage: lost indentation", "reports/011-libcuda-ld-line-inside-traceback"): "the linker's line stands between"
    " source lines, and without indentation it is one of them",
    ("damage: lost indentation", "decoys/batch-size-search-on-two-lines"): "its indentation alone says that this error"
    " belongs to the warning above it",
    ("damage: four blanks for two", "messages/flock-unsupported"): _HEADLESS,
    ("damage: four blanks for two", "messages/notmp"): _HEADLESS,
    ("crowds: much noise around", "messages/aiter-waits-for-baton"): _WENT_ON,
    ("crowds: much noise around", "messages/aiter-waits-until-time-limit"): _WENT_ON,
    ("crowds: two in step", "decoys/json-of-known-errors"): _IN_STEP,
    ("crowds: two in step", "decoys/rss-grows-long-after-recompiles"): _IN_STEP,
    ("wrapping: cut at 80", "messages/rss-grows-with-few-recompiles"): "what is left of the lines does not say what was"
    " compiled again, nor why",
    ("pages: typescript", "messages/aiter-waits-for-baton"): "a wait is a hang only where nothing is said after it, and"
    " the recording says that it is done",
    **{
        (f"exports: {name}", identity): _BACKWARDS
        for name in ("newest first", "newest first, of Loki")
        for identity in (
            "decoys/compiler-looked-for-then-gpu-oom",
            "decoys/notebook-context-names-openmp",
            "messages/printed-symbol-tried-again",
        )
    },
    ("exports: newest first, of Loki", "decoys/spelling-of-quoted-messages"): _BACKWARDS,
    ("exports: in one object", "messages/printed-symbol-then-gpu-oom"): "all lines of an object have one number in the"
    " input, and nothing tells which of them are near to each other",
    ("cuts: tail missing", "messages/printed-symbol-tried-again"): "what ended the run was cut, and the line that is"
    " left is that of a library that does not load",
    ("cuts: middle missing", "messages/printed-symbol-then-gpu-oom"): "what ended the run was cut, and what is left"
    " is the line that a library did not load",
}


def text_of(case: Case) -> str:
    """Return the log of a case, undecodable bytes and all."""
    return case.log.read_bytes().decode("utf-8", "surrogateescape")


def cases_for(disguise: Disguise) -> Iterator[tuple[Case, str]]:
    """Yield the cases that can wear a disguise, with their logs."""
    for case in all_cases().values():
        text = text_of(case)
        known = (diagnose_case(case.id).label or UNEXPLAINED) in case.labels
        # Of a log without a failure, a part may well show one: what said that it was none is gone.
        is_clean = case.label == "none/clean"
        if known and len(text) <= _MAX_LENGTH and disguise.fits(text) and not (disguise.loses and is_clean):
            yield case, text


def sampled(cases: Sequence[tuple[Case, str]], random: Random, *, is_all: bool) -> Sequence[tuple[Case, str]]:
    """Return all cases, or as many as a quick run has time for."""
    return cases if is_all or len(cases) <= _SAMPLE else random.sample(list(cases), _SAMPLE)


def misread(answer: Diagnosis, expected: Diagnosis, disguise: Disguise) -> str | None:
    """Say what is wrong with the answer to a log in disguise, if anything is."""
    if answer.label == expected.label:
        return None
    said = f"{expected.label} became {answer.label}"
    if not disguise.loses:
        return said
    if answer.label in {found.label for found in expected.findings if found.severity is not Severity.HANDLED}:
        # The log itself has this failure as well, if not on top: what was above it, or came later, was cut away.
        return None
    cause = (answer.label or UNEXPLAINED).partition("/")[0]
    is_other = cause in _ROOT_CAUSES and cause != (expected.label or UNEXPLAINED).partition("/")[0]
    return said if is_other and answer.findings[0].confidence is Confidence.CERTAIN else None


@pytest.mark.parametrize("name", DISGUISES)
def test_log_in_disguise_gets_the_answer_of_the_log_itself(name, request):
    disguise, random = DISGUISES[name], Random(name)
    cases = list(cases_for(disguise))
    assert len(cases) >= _SAMPLE
    wrong = {}
    for case, text in sampled(cases, random, is_all=request.config.getoption("--all-disguises")):
        answer = analyze_text(disguise.put_on(text, Random(case.id)), our_rules())
        said = misread(answer, diagnose_case(case.id), disguise)
        if said and (name, case.id) not in KNOWN:
            wrong[case.id] = said
    assert wrong == {}


@pytest.mark.parametrize(("name", "identity"), KNOWN)
def test_known_misses_are_misses(name, identity):
    disguise, case = DISGUISES[name], all_cases()[identity]
    answer = analyze_text(disguise.put_on(text_of(case), Random(case.id)), our_rules())
    assert misread(answer, diagnose_case(case.id), disguise)


def test_disguises_over_each_other_take_nothing_away(request):
    count = _ALL_COMPOSITIONS if request.config.getoption("--all-disguises") else _COMPOSITIONS
    random = Random(0)
    cases = list(all_cases().values())
    wrong = {}
    for number in range(count):
        names = [(family, random.choice(FAMILIES[family])) for family in random.sample(ORDER, random.randint(2, 3))]
        names.sort(key=lambda each: ORDER.index(each[0]))
        case = random.choice(cases)
        text = text_of(case)
        # A process is named once; a second name over the first belongs to somebody else.
        if (
            len(text) > _MAX_LENGTH
            or text.count("\n") < max(each.least for _, each in names)
            or _NAMES_A_PROCESS.search(text)
        ):
            continue
        if any((f"{family}: {each.name}", case.id) in KNOWN for family, each in names):
            continue
        for _, each in names:
            text = each.put_on(text, Random(number))
        answer = analyze_text(text, our_rules())
        if answer.label != diagnose_case(case.id).label:
            worn = " under ".join(each.name for _, each in names)
            wrong[f"{case.id}: {worn}"] = f"{diagnose_case(case.id).label} became {answer.label}"
    assert wrong == {}


def test_two_failures_in_one_log_are_both_found_and_the_fatal_one_is_on_top(request):
    pairs = list(pairs_of(failing_cases()))
    count = _ALL_PAIRS if request.config.getoption("--all-disguises") else _PAIRS
    wrong = {}
    for one, other, top in Random(0).sample(pairs, count):
        answer = analyze_text(joined(one, other), our_rules())
        found = {finding.label for finding in answer.findings}
        allowed = (top,) if top else (one.label, other.label)
        if not {one.label, other.label} <= found or answer.label not in allowed:
            wrong[f"{one.id} and {other.id}"] = f"{answer.label} on top of {sorted(found)}"
    assert wrong == {}


def test_run_that_went_well_excuses_no_failure_beside_it(request):
    count = _ALL_PAIRS if request.config.getoption("--all-disguises") else _PAIRS
    random = Random(0)
    failing, clean = [case for case, _ in failing_cases()], clean_cases()
    wrong = {}
    for _ in range(count):
        one, other = random.choice(failing), random.choice(clean)
        first, second = (one, other) if random.random() < 0.5 else (other, one)
        answer = analyze_text(joined(first, second), our_rules())
        if answer.label != one.label:
            wrong[f"{first.id} and {second.id}"] = f"{one.label} became {answer.label}"
    assert wrong == {}
