from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.ruleset.make_pattern import group_names, make_pattern
from tracelens.ruleset.patterns import FLAGS, MANY_NEWLINES, Pattern


def test_group_names_come_in_order():
    assert group_names("(?P<b>x)(?P<a>y)(z)") == ("b", "a")


@pytest.mark.parametrize(
    ("source", "newlines"),
    [
        ("abc.*def", 0),
        (r"abc\ndef", 1),
        ("(?s)abc.def", 1),
        ("(?s:abc.)def", 1),
        ("abc[^x]def", 1),
        (r"abc[^\n]def", 0),
        (r"abc[^\s]def", 0),
        (r"(?:^|[\s:])abc", 1),
        (r"abc\s+def", MANY_NEWLINES),
        (r"abc\s{0,5}def", 5),
        ("abc[\\t-\\r]def", 1),
        (r"abc(?:d\n\n|e\n)f", 2),
        ("(?:abc){2}", 0),
    ],
)
def test_how_many_newlines_a_match_can_hold_is_known(source, newlines):
    assert make_pattern(source).newlines == newlines


@pytest.mark.parametrize(
    ("source", "bounded"),
    [
        (r"(?P<path>\S*torch)", r"(?P<path>\S{0,200}torch)"),
        (r"[^\s'\]]+\.so: cannot", r"[^\s'\]]{1,200}\.so: cannot"),
        (r"((?:\w+): x)", r"((?:\w{1,200}): x)"),
        (r"one|(?P<name>\S+) is not", r"one|(?P<name>\S{1,200}) is not"),
        (r"(?:fx|\w*Cache) (\w*|a+)", r"(?:fx|\w{0,200}Cache) (\w*|a+)"),
        (r"(?i)[^]\]*]+x", r"(?i)[^]\]*]{1,200}x"),
        (r"a\|b*|\(+c", r"a\|b*|\({1,200}c"),
        (r"\S*?torch", r"\S*?torch"),
        (r"^\s*baton", r"^[^\S\n]*baton"),
        (r"^\s{4,}x[\s*$]\s+y\s*$", r"^[^\S\n]{4,}x[\s*$]\s+y[^\S\n]*$"),
        ("torch.*", "torch.*"),
    ],
)
def test_an_open_start_is_bounded(source, bounded):
    assert make_pattern(source).source == bounded


def test_an_open_start_takes_no_quadratic_time():
    pattern = make_pattern(r"(?P<path>[^\s:]*torchinductor_x)")
    assert pattern.search("a" * 30_000 + "/torchinductor_y") is None


PIECES = st.sampled_from(
    ["abc", "de f", "(?:gh|ij)", "k?", "l*", "m+", "[no]", ".", r"\d", "(p|qr)s", "(?:tu){2}", r"\n", "(?i:V)"]
)
TEXTS = st.text(alphabet=" \nabcdefghijklmnopqrstuV0.", max_size=40)


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), st.booleans(), TEXTS, st.data())
def test_any_match_holds_a_required_literal_and_no_more_newlines_than_were_foreseen(body, ignore_case, text, data):
    source = f"(?i){body}" if ignore_case else body
    sample = data.draw(st.from_regex(re.compile(source, FLAGS))) + text
    pattern = make_pattern(source)
    match = re.compile(source, FLAGS).search(sample)
    assert match is not None
    found = match.group().lower() if pattern.ignore_case else match.group()
    if pattern.literals:
        assert any(text in found for text, _words, _part in pattern.literals)
    assert match.group().count("\n") <= pattern.newlines


def test_make_pattern_keeps_what_it_was_told():
    assert make_pattern("abc", foreign=True) == Pattern("abc", foreign=True)
    assert make_pattern("abc", foreign=True) != Pattern("abc")
