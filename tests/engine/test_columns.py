from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracelens.engine.around import lowered, search_around, search_around_lines
from tracelens.engine.columns import Column
from tracelens.engine.fields import Subject
from tracelens.ruleset.compiled import GateGroup
from tracelens.ruleset.literals import required_literals
from tracelens.ruleset.make_pattern import make_pattern


def column(*texts: str) -> Column:
    return Column((Subject(number, 0), text) for number, text in enumerate(texts))


def subjects(found) -> list[int]:
    return [item.subject.event for item in found]


def may_hold(texts: Column, literals, *, ignore_case: bool) -> bool:
    opened: set[int] = set()
    texts.open(GateGroup("said", "message", ignore_case, [(*literal, (7,)) for literal in literals]), opened)
    return opened == {7}


def test_equal_texts_are_searched_once_and_all_of_them_found():
    found = column("a fatal thing", "nothing", "a fatal thing").search(make_pattern("fatal (?P<what>\\w+)"))
    assert subjects(found) == [0, 2]
    assert found[0].hit.captures == (("what", "thing"),)
    assert found[0].hit is found[1].hit


def test_literals_gate_by_whole_words_and_by_parts():
    texts = column("No working C++ compiler found here")
    assert may_hold(texts, required_literals(r"working C\+\+ compiler"), ignore_case=False)
    assert may_hold(texts, required_literals("ompiler foun"), ignore_case=False)
    assert not may_hold(texts, required_literals("working D compiler"), ignore_case=False)
    assert not may_hold(texts, required_literals("x ompiler x"), ignore_case=False)
    assert not may_hold(column(), required_literals("working"), ignore_case=False)


def test_case_is_ignored_where_the_pattern_does():
    texts = column("CUDA Out Of Memory")
    assert may_hold(texts, required_literals("(?i)out of memory"), ignore_case=True)
    assert subjects(texts.search(make_pattern("(?i)out of memory"))) == [0]


def test_letters_whose_lower_case_is_longer_move_nothing():
    texts = column("İİİ CUDA Out Of Memory", "other")
    assert may_hold(texts, required_literals("(?i)out of memory"), ignore_case=True)
    assert subjects(texts.search(make_pattern("(?i)out of memory"))) == [0]


def test_literals_at_the_joints_of_texts_do_not_match():
    assert subjects(column("abc", "def").search(make_pattern("abc.?def"))) == []


def test_a_long_text_is_searched_around_its_literals():
    noise = "x = 1\n" * 2000
    long = f"{noise}error: omp.h: No such file\n{noise}"
    (found,) = column(long).search(make_pattern(r"^error: (?P<header>\S+): No such file$"))
    assert (found.hit.start, found.hit.captures) == (len(noise), (("header", "omp.h"),))


def test_a_match_over_lines_is_found_in_a_long_text_and_reaches_so_far_only():
    noise = "x = 1\n" * 2000
    pattern = make_pattern(r"first line\s+(?:[^z]*\s)?last line")
    assert column(f"{noise}first line\nlast line\n{noise}").search(pattern)
    assert not column("first line\n" + noise + "last line").search(pattern)


def test_only_what_lies_around_the_literal_of_an_endless_line_is_looked_at():
    line = "a" * 30_000 + "needle" + "b" * 30_000
    pattern = make_pattern("a{10}needle(?P<rest>b+)")
    hit = search_around(pattern, line, ["needle"], line)
    assert hit is not None
    assert hit.start == 29_990
    assert hit.end < 40_000


def test_places_that_were_looked_at_are_not_looked_at_again():
    text = "needle\n" * 400
    assert search_around(make_pattern("needle (?P<rest>x)"), text, ["needle"], text) is None
    assert search_around(make_pattern("needle\\s+x"), text, ["needle"], text) is None


WORDS = st.sampled_from(["error", "ERROR", "omp.h", "not", "found", "é", "x1", "\n", ": ", "C++", "İ"])
SOURCES = st.sampled_from(
    [
        "error",
        "(?i)error",
        r"omp\.h|C\+\+",
        "not found",
        "(?i)NOT FOUND",
        r"error(?::|\s)",
        "é",
        "(?:error|not)+",
        "[ex]rror",
    ]
)


@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=12), SOURCES)
def test_any_column_finds_what_a_plain_search_finds(texts, source):
    pattern = make_pattern(source)
    plain = [number for number, item in enumerate(texts) if pattern.search(item)]
    assert subjects(column(*texts).search(pattern)) == plain
    if plain and pattern.literals:
        assert may_hold(column(*texts), pattern.literals, ignore_case=pattern.ignore_case)


@given(st.lists(WORDS, min_size=100, max_size=600).map(" ".join), SOURCES)
def test_any_long_text_matches_where_a_plain_search_does_if_the_match_is_on_one_line(text, source):
    pattern = make_pattern(source)
    lines = [line for line in text.split("\n") if pattern.search(line)]
    if lines:
        assert column(text * 4).search(pattern)


@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=40), SOURCES, st.sets(st.integers(0, 39)))
def test_any_few_subjects_are_told_what_a_search_for_all_tells_of_them(texts, source, chosen):
    pattern = make_pattern(source)
    # Each subject has the text of its number and that of the number below.
    pairs = [(Subject(number // 2, 0), text) for number, text in enumerate(texts)]
    wanted = [subject for subject, _text in pairs if subject.event in chosen]
    expected = {found.subject: found for found in reversed(Column(pairs).search(pattern))}
    firsts = Column(pairs).first_of(pattern, wanted)
    assert {subject: firsts.get(subject) for subject in wanted} == {
        subject: expected.get(subject) for subject in wanted
    }


@given(st.lists(WORDS, min_size=100, max_size=600).map(" ".join), SOURCES)
def test_any_long_text_is_searched_around_lines_as_around_literals(text, source):
    pattern = make_pattern(source)
    is_lower = pattern.ignore_case
    searched = lowered(text) if is_lower else text
    literals = [literal for literal, _words, _part in pattern.literals if literal in searched]
    lines = [
        line
        for line in dict.fromkeys(text.split("\n"))
        if any(literal in (lowered(line) if is_lower else line) for literal in literals)
    ]
    if literals:
        around = search_around(pattern, text, literals, searched)
        assert search_around_lines(pattern, text, literals, lines, is_lower=is_lower) == around
