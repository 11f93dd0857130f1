from __future__ import annotations

import sys

import pytest

from tracelens.ruleset import linear
from tracelens.ruleset.linear import find_problems

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
    (r"x(?:(?:\w*){2})+y", "unbounded repeat of an unbounded repeat"),
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


def test_what_re2_refuses_for_reasons_of_its_own_is_refused(monkeypatch):
    def refuse(source: str) -> None:
        raise ValueError(source)

    monkeypatch.setattr(linear, "compile_linear", refuse)
    assert find_problems("abc") == ["RE2 refuses it: abc"]
