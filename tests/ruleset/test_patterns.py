from __future__ import annotations

import pytest

from tracelens.ruleset.make_pattern import make_pattern
from tracelens.ruleset.patterns import LINE_HEAD, LINE_TAIL, Hit, Pattern, compile_linear, shortened

ENGINES = pytest.mark.parametrize("foreign", [False, True], ids=["re", "re2"])


@ENGINES
def test_search_returns_offsets_and_named_groups_that_took_part(foreign):
    pattern = make_pattern(r"(?P<what>lib\w+)(?P<rest> gone)? (?P<how>not found)", foreign=foreign)
    hit = pattern.search("é: libfoo not found")
    assert hit == Hit(start=3, end=19, captures=(("how", "not found"), ("what", "libfoo")))


@ENGINES
def test_anchors_mean_lines(foreign):
    assert make_pattern("^def$", foreign=foreign).search("abc\ndef\nghi") == Hit(start=4, end=7)


@ENGINES
def test_classes_are_ascii(foreign):
    assert make_pattern(r"x\w+", foreign=foreign).search("xé") is None


@ENGINES
def test_undecodable_bytes_are_searched_past(foreign):
    assert make_pattern("abc", foreign=foreign).search("\udcff\udc80abc") == Hit(start=2, end=5)


@ENGINES
def test_search_stays_between_its_offsets(foreign):
    pattern = make_pattern("abc", foreign=foreign)
    assert pattern.search("abc abc abc", 1, 10) == Hit(start=4, end=7)
    assert pattern.search("abc abc abc", 5, 10) is None


def test_re2_refusals_are_value_errors():
    with pytest.raises(ValueError, match="repetition"):
        compile_linear("a{2000}")


def test_patterns_are_equal_when_they_search_for_the_same():
    assert Pattern("a") == make_pattern("a")
    assert hash(Pattern("a")) == hash(make_pattern("a"))
    assert Pattern("a") != Pattern("a", foreign=True)
    assert Pattern("a") != "a"
    assert repr(Pattern("a")) == "Pattern('a')"


def test_only_the_middle_of_overlong_lines_is_cut():
    line = "a" * LINE_HEAD + "b" * 50_000 + "c" * LINE_TAIL
    short = "x" * 100
    kept = "a" * LINE_HEAD + " " + "c" * LINE_TAIL
    assert shortened(f"{short}\n{line}\n{short}") == f"{short}\n{kept}\n{short}"
    many_lines = "\n".join([short] * 1000)
    assert shortened(many_lines) == many_lines
