from __future__ import annotations

import pytest

from tests.corpus_cases import all_cases
from tracelens.engine.log import Log
from tracelens.engine.match import Matcher
from tracelens.engine.trial import store_of
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.make_pattern import make_pattern
from tracelens.ruleset.model import AllOf, AnyOf, Kind, Leaf, Not
from tracelens.ruleset.sieve import find_sieve

#: Every so many-th case of the corpus is tried with every rule.
EACH = 40
LOG = "the ptxas here is fatal to us\nRuntimeError: No working C++ compiler found\n"


def said(source: str) -> Leaf:
    return Leaf(kind=Kind.SAID, patterns=(("message", make_pattern(source)),))


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        (said("No working .* compiler"), True),
        (said("No working .* interpreter"), False),
        (said("ptxas.*(?:fatal|broken)"), True),
        (said("ptxas.*(?:error|broken)"), False),
        (said("(?i)PTXAS.*FATAL"), True),
        (said("[A-Z]{3}"), True),
        (AllOf(conditions=(said("ptxas"), said("fatal"))), True),
        (AllOf(conditions=(said("ptxas"), said("nvcc"))), False),
        (AnyOf(conditions=(said("nvcc"), AllOf(conditions=(said("ptxas"), said("fatal"))))), True),
        (AnyOf(conditions=(said("nvcc"), AllOf(conditions=(said("ptxas"), said("nvcc"))))), False),
        (AllOf(conditions=(said("ptxas"), Not(condition=said("fatal")))), True),
        (AnyOf(conditions=(said("nvcc"), Not(condition=said("fatal")))), True),
        (Leaf(kind=Kind.EXCEPTION), True),
        (Leaf(kind=Kind.AUTOTUNE), False),
        (AllOf(conditions=(said("ptxas"), Leaf(kind=Kind.AUTOTUNE))), False),
        # A match over several lines is looked for elsewhere than line by line.
        (said("ptxas\nnever"), True),
    ],
)
def test_a_sieve_lets_through_what_has_all_its_texts(condition, passes):
    assert Log(store_of(LOG).events()).passes(find_sieve(condition)) is passes


def test_no_rule_that_matches_is_held_back():
    rules = load_ruleset().rules
    sieves = {rule.code: find_sieve(rule.when) for rule in rules}
    matched = 0
    for case in list(all_cases().values())[::EACH]:
        log = Log(store_of(case.log.read_text("utf-8", "surrogateescape")).events())
        matcher = Matcher(log)
        for rule in rules:
            if matcher.matches(rule.when, rule.unless):
                matched += 1
                assert log.passes(sieves[rule.code]), (case.id, rule.code)
    assert matched > len(all_cases()) // EACH
