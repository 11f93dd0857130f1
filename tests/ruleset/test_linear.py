from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.ruleset.linear import find_problems, group_names, make_pattern, required_literals
from tracelens.ruleset.patterns import FLAGS, MANY_NEWLINES, Pattern

SOUND = [
    r"No working C\+\+ compiler found.*\(None, '(?P<compiler>[^']+)'",
    "InvalidCxxCompiler$",
    "(?i)out of memory",
    r"Failed to find (C|CUDA) compiler",
    r"hit config\.(?:recompile_limit|cache_size_limit) \((?P<limit>\d+)\)",
    r"x(?:[^,]*,)*abc",
    r"(?s:begin.{0,200}end)",
    r"^\s*baton\.wait\(\)\s*$",
    "没有那个文件",
]

REFUSED = [
    ("(?=x)y", "lookahead"),
    ("(?<!x)y", "lookahead and lookbehind"),
    (r"(?P<a>x)(?P=a)", "back-references"),
    (r"(x)\1", "back-references"),
    (r"(x)?(?(1)y|z)", "conditional"),
    ("x{1001}", "more than 1000"),
    ("(?:x{40}){40}", "more than 1000"),
    ("x{,3}abc", "write {0,3}"),
    (r"abc\Z", "not the same in RE2"),
    (r"abc\u0041", "not the same in RE2"),
    (r"abc\0", "not the same in RE2"),
    ("(?x)a b", "not the same in RE2"),
    ("(?#note)ab", "comments"),
    ("(a+)+b", "unbounded repeat of an unbounded repeat"),
    (r"(\w+\s*)*end", "unbounded repeat of an unbounded repeat"),
    ("((a|b+)*)+c", "unbounded repeat of an unbounded repeat"),
    (".*foo", "starts with"),
    (r"(?P<path>\S*)[^\n]*(?P<reason>stale)", "two wide repeats"),
    (r"(?:a*|bc)(?:\d{0,90})?[x-z]*end", "two wide repeats"),
    ("(?P<all>.+)foo", "starts with"),
    ("x*", "matches the empty text"),
    ("^|abc", "matches the empty text"),
    ("(abc", "not a regular expression"),
    ("[[a]bc", "not a regular expression"),
    ("a" * 2001, "longer than 2000"),
    (r"(?P<x>a)(?P<x>b)", "not a regular expression"),
]


@pytest.mark.parametrize("source", SOUND)
def test_patterns_in_common_use_are_sound(source):
    assert find_problems(source) == []


@pytest.mark.parametrize(("source", "reason"), REFUSED, ids=[source[:20] for source, _ in REFUSED])
def test_a_pattern_that_is_not_linear_or_not_portable_is_refused_with_the_reason(source, reason):
    assert any(reason in problem for problem in find_problems(source))


@pytest.mark.parametrize(("source", "reason"), REFUSED, ids=[source[:20] for source, _ in REFUSED])
def test_the_static_check_alone_refuses_as_much_where_re2_is_missing(source, reason, monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    assert any(reason in problem for problem in find_problems(source))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not know possessive repeats")
@pytest.mark.parametrize("source", ["ab++c", "(?>ab)c"])
def test_what_only_newer_pythons_read_is_refused(source):
    assert any("mean nothing to RE2" in problem for problem in find_problems(source))


def test_without_re2_foreign_patterns_are_refused_and_ours_are_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    assert find_problems("abc") == []
    assert any("google-re2" in problem for problem in find_problems("abc", foreign=True))


def test_group_names_come_in_order():
    assert group_names("(?P<b>x)(?P<a>y)(z)") == ("b", "a")


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        (r"No working C\+\+ compiler found.*x", ["No working C++ compiler found"]),
        ("(recompile_limit|cache_size_limit) reached", ["recompile_limit", "cache_size_limit"]),
        ("(?i)Out Of MEMORY", ["out of memory"]),
        ("(?:abcdef)?gh", []),
        ("(?:abcdef){2,}gh", ["abcdef"]),
        ("out of memory|oom", ["out of memory", "oom"]),
        ("a(?i:bCdef)G", ["abcdefg"]),
        ("CL/x|ab", ["CL/x", "ab"]),
        (r"\bfoo\b bar", ["foo bar"]),
        ("[Cc]annot find", ["annot find"]),
    ],
)
def test_required_literals(source, texts):
    assert sorted(literal.text for literal in required_literals(source)) == sorted(texts)


def test_words_that_end_within_a_literal_are_whole_and_those_at_its_ends_are_parts():
    (literal,) = required_literals(r"No working C\+\+ compiler found")
    assert literal.words == ("working", "compiler")
    assert literal.part == "found"


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
        (r"^\s*baton", r"^\s*baton"),
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
        assert any(literal.text in found for literal in pattern.literals)
    assert match.group().count("\n") <= pattern.newlines


def test_make_pattern_keeps_what_it_was_told():
    assert make_pattern("abc", foreign=True) == Pattern("abc", foreign=True)
    assert make_pattern("abc", foreign=True) != Pattern("abc")
