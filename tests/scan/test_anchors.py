"""Anchors: no pattern that could become one is deaf, and none is read differently by an engine."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from tests.command import REPOSITORY
from tests.scan.logs import GRAMMAR, PATTERNS
from tracelens.errors import AnchorError
from tracelens.scan import anchors_from_patterns
from tracelens.scan.anchors import compile_anchors
from tracelens.scan.pieces import read_parts
from tracelens.scan.plan import Literal

FLAGS = re.MULTILINE | re.ASCII
#: The patterns in our own rules: any quoted text behind a key that holds one.
RULE_PATTERNS = sorted(
    {
        match.group(1).replace("''", "'")
        for path in (REPOSITORY / "rules").glob("*.yml")
        for match in re.finditer(r"(?:said|message|pattern|type): '((?:[^'\n]|'')+)'", path.read_text(encoding="utf-8"))
    }
)


def anchor_of(pattern: str) -> str:
    (anchor,) = anchors_from_patterns([pattern])
    return anchor


def is_seen(anchors: list[str] | tuple[str, ...], data: bytes) -> bool:
    """Tell whether an anchor matches in a line and its demands stand there."""
    return any(
        re.search(anchor.expression.encode(), line, re.MULTILINE)
        and all(
            any(literal.text in b"\n" + (line.lower() if literal.folded else line) for literal in each)
            for each in anchor.demands
        )
        for anchor in compile_anchors(anchors)
        for line in data.split(b"\n")
    )


@pytest.mark.parametrize(
    ("pattern", "anchor"),
    [
        ("InvalidCxxCompiler$", "InvalidCxxCompiler"),
        (r"^Command:\Z", "Command:"),
        (r"(?P<what>\w+) not supported", r"\w+ not supported"),
        (r"No space left on\s+device", "No space left on"),
        (r"bad\s+news", r"bad\s+news"),
        (r"\s+bad news\s*", "bad news"),
        (r"^\s+bad news\s*$", "bad news"),
        (r"line one\nand line two", "and line two"),
        (r"(?s)first.*second!", "second!"),
        (r"a[\s\S]*bxq", "bxq"),
        (r"(?:missing|not\n+there) header", " header"),
        (r"(?i)No GPU", "[nN][oO] [gG][pP][uU]"),
        (r"\bOOM\b", r"\bOOM\b"),
        (r"(?:no ){2,4}way", "(?:no ){2,4}way"),
        (r"x{100,900} yes", "x{64,} yes"),
        ("«g\\+\\+»", r"«g\+\+»"),
        ("q(?i:b)cd", "q[bB]cd"),
    ],
)
def test_pattern_becomes_anchor(pattern, anchor):
    assert anchor_of(pattern) == anchor


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"foo(?=bar)", "lookahead"),
        (r"(?<!x)foo", "lookbehind"),
        (r"(foo)\1", "back-references"),
        (r"(f)?(?(1)oo|bar)", "conditional"),
        (r"foo(", "not a regular expression"),
        (r".*", "nothing definite"),
        (r"\d+", "nothing definite"),
        (r"(?:foo)?", "nothing definite"),
        (r"foo|.", "nothing definite"),
        (r"a\w+b", "no text of 3"),
        (r"abc|de", "no text of 3"),
        (r"torch/_inductor", "ordinary lines"),
        (r"loss", "ordinary lines"),
    ],
)
def test_pattern_that_no_scan_could_see_is_named(pattern, reason):
    with pytest.raises(AnchorError, match=reason) as caught:
        anchors_from_patterns(["good pattern", pattern])
    assert caught.value.pattern == pattern
    assert repr(pattern) in str(caught.value)


def test_error_survives_pickling():
    error = pickle.loads(pickle.dumps(AnchorError("a(", "because")))  # noqa: S301 - our own bytes
    assert (error.pattern, error.reason) == ("a(", "because")


def test_equal_patterns_give_one_anchor():
    assert anchors_from_patterns(["^No GPU", "No GPU$", "No GPU"]) == ("No GPU",)


def test_anchor_that_holds_a_plain_one_is_left_out():
    kept = compile_anchors(["CompileError", r"\w+CompileError: .*", r"\bCompileError2\b", "other"])
    assert [anchor.expression for anchor in kept] == ["CompileError", "other"]


def test_anchor_with_edges_makes_none_redundant():
    assert len(compile_anchors([r"\berror\b", "errors everywhere"])) == 2


@pytest.mark.parametrize(
    ("anchor", "line", "is_match"),
    [
        (r"^Killed$", b"Killed", True),
        (r"^Killed$", b"Killed\r", True),
        (r"^Killed$", b"50%|#\rKilled", True),
        (r"^Killed$", b"rank 3: Killed", False),
        (r"a.c", "a»c".encode(), True),
        (r"a.c", b"a\xffc", True),
        (r"a[^»]c", b"abc", True),
        (r"caf\w", "café".encode(), False),
        (r"caf\W", "café".encode(), True),
        (r"[«']g", "«g".encode(), True),
        (r"[«']g", b"`g", False),
        (r"(?i)killed", b"KILLED", True),
        (r"k(?-i:X)y", b"kXy", True),
        (r"a\sb", b"a b", True),
        (r"a[^x]b", b"a\nb", False),
    ],
)
def test_expression_reads_bytes_as_the_anchor_reads_text(anchor, line, is_match):
    (compiled,) = compile_anchors([anchor])
    assert bool(re.search(compiled.expression.encode(), line, re.MULTILINE)) is is_match


def test_demands_are_written_out_where_a_match_can_be_little_else():
    (compiled,) = compile_anchors([r"ab(?:c|de?)f \d+ ghi"])
    assert compiled.demands == (
        (Literal(b"abcf ", folded=False), Literal(b"abdf ", folded=False), Literal(b"abdef ", folded=False)),
        (Literal(b" ghi", folded=False),),
    )


@pytest.mark.parametrize(
    ("anchor", "texts"),
    [
        (r"(?:gcc|nvcc): (?:fatal )?error", [b"gcc: fatal error", b"gcc: error", b"nvcc: fatal error", b"nvcc: error"]),
        (r"^E  +\S", [b"\nE  ", b"\rE  "]),
        (r"(?:^|[|])^Killed", [b"\nKilled", b"\rKilled", b"|\nKilled"]),
        (r"no (?:way|use\d+) out", [b"no way", b"no use"]),
        (r"(?:a b|[cd]\d+e) fault", [b"a b fault", b"e fault"]),
        (r"(?:a|b|c|d|e|f|g|h|i|j){2}x+[yz]", [b"xy", b"xz"]),
        (r"[Oo]ut of (?:[Mm]emory|luck)", [b"Out of Memory", b"out of memory", b"Out of luck"]),
        (r"[Oo]om-kill|(?i:x) gone", [b"Oom-kill", b"oom-kill", b"x gone", b"X gone"]),
    ],
)
def test_demands_span_what_follows_each_other(anchor, texts):
    (compiled,) = compile_anchors([anchor])
    wanted = {Literal(text, folded=False) for text in texts}
    assert any(wanted <= set(each) for each in compiled.demands)


def test_case_is_left_open_where_most_letters_leave_it():
    (compiled,) = compile_anchors([r"(?i:fatal error) in X"])
    assert compiled.demands == ((Literal(b"fatal error in x", folded=True),),)


@pytest.mark.parametrize("anchors", [PATTERNS, GRAMMAR], ids=["patterns", "grammar"])
def test_what_we_look_for_compiles(anchors):
    assert 30 < len(compile_anchors(anchors)) <= len(anchors)


def _derivable() -> list[str]:
    kept = []
    for pattern in RULE_PATTERNS:
        try:
            anchors_from_patterns([pattern])
            re.compile(pattern, FLAGS)
        except (AnchorError, re.error):
            continue
        kept.append(pattern)
    return kept


DERIVABLE = _derivable()


def test_most_patterns_of_our_rules_are_anchors():
    assert len(DERIVABLE) > 0.9 * len(RULE_PATTERNS) > 100


def may_cross(pattern: str) -> bool:
    """Tell whether an anchor has kept a class that may match a newline, as what is around it says too little."""
    return any(part.crossing for part in read_parts(anchor_of(pattern), keep_ends=True))


def test_few_patterns_of_our_rules_need_their_white_space_within_a_line():
    assert sum(map(may_cross, DERIVABLE)) < 0.02 * len(DERIVABLE)


@given(data=st.data(), pattern=st.sampled_from(DERIVABLE))
def test_any_text_that_a_rule_matches_is_seen(data, pattern):
    text = data.draw(st.from_regex(re.compile(pattern, FLAGS)))
    assume(re.search(pattern, text, FLAGS))
    assume("\n" not in text or not may_cross(pattern))
    assert is_seen(anchors_from_patterns([pattern]), text.encode("utf-8", "surrogatepass"))


LETTERS = st.text("abAB é».:", min_size=1, max_size=4)
ATOMS = st.one_of(
    LETTERS.map(re.escape),
    st.sampled_from([r"\d", r"\w", r"\s", ".", r"[^a\n]", "[^b]", r"[ab»]", r"\S+", r"\b", "(?i:ab)", r"\n", "$", "^"]),
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda each: f"(?:{'|'.join(each)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data(), expression=EXPRESSIONS)
def test_any_line_that_a_made_up_pattern_matches_is_seen(data, expression):
    try:
        compile_anchors([expression])
    except AnchorError:
        reject()
    text = data.draw(st.from_regex(re.compile(expression, FLAGS), alphabet=st.characters(codec="utf-8")))
    line = text.partition("\n")[0]
    assume(re.search(expression, line, FLAGS))
    assert is_seen([expression], line.encode("utf-8", "surrogatepass"))


#: Without what may cross a line by accident: ``\\s`` and classes that exclude other things.
CROSSING = st.lists(
    st.sampled_from(["qb+", "(?:qd|zf)", r"\n", r"\n+", "(?s:.)", r"(?:zh\n|zj)", "kq?"]), min_size=1, max_size=6
)


@given(data=st.data(), pieces=CROSSING)
def test_any_text_of_several_lines_is_seen_by_one_of_them(data, pieces):
    pattern = "".join(pieces) + "mxq"
    text = data.draw(st.from_regex(re.compile(pattern, FLAGS), alphabet=st.characters(codec="ascii")))
    assert is_seen(anchors_from_patterns([pattern]), text.encode())
