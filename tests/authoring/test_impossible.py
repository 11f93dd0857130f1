from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.authoring.impossible import is_empty_range, why_nothing_matches
from tracelens.ruleset.patterns import FLAGS


@pytest.mark.parametrize(
    "source", ["a^b", "a$b", "(a|b)^c", "(?:a$)+b", "ab?^c", "(?:x|y$)z^w", "\x1b\\[31mred", "a{2}^"]
)
def test_what_can_match_nothing_is_found(source):
    assert why_nothing_matches(source)


@pytest.mark.parametrize(
    "source",
    [
        "^a",
        "a$",
        "a\\n^b",
        "x$\\ny",
        "a(^b|c)",
        "(?:^|x)a",
        "a\\s*$",
        "a\\s^b",
        "a$|b",
        "^^a",
        "(?:^ab$\\n?)+",
        "[^x]^a",
    ],
)
def test_what_may_match_is_left_alone(source):
    assert why_nothing_matches(source) == ""


@given(st.text(alphabet="ab^$|()*?\n", max_size=10), st.text(alphabet="ab\n", max_size=8))
def test_any_pattern_that_matches_something_is_left_alone(source, text):
    try:
        found = re.search(source, text, FLAGS)
    except re.error:
        return
    if found:
        assert why_nothing_matches(source) == ""


@pytest.mark.parametrize("bounds", [">=2.9,<2.6", "==2.5,!=2.5", ">2.5,<2.6", "<0"])
def test_a_range_without_versions_is_found(bounds):
    assert is_empty_range(bounds)


@pytest.mark.parametrize("bounds", [">=2.6,<2.9", ">=2.5", "!=2.5", "==2.5.1", ">2.5.1", "<=0", ">2.5.1,<2.5.3"])
def test_a_range_with_versions_is_left_alone(bounds):
    assert not is_empty_range(bounds)
