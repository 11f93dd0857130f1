from __future__ import annotations

import pytest

from tracelens.ruleset.literals import required_literals


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
        ("(?i)caféteria", ["teria"]),
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
