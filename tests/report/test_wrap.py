"""Rows fit the width and lose nothing but the blanks they break at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracelens.report.wrap import cell_width, shorten, wrap

WIDTHS = st.integers(min_value=2, max_value=120)


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs", "Cc", "Mn", "Cf"])), WIDTHS)
def test_any_text_wraps_to_the_width(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert rows
    assert all(cell_width(row) <= width for row in rows)


@given(st.text(alphabet="abc /", max_size=300), WIDTHS)
def test_any_text_keeps_its_words(text: str, width: int) -> None:
    assert "".join(wrap(text, width)).replace(" ", "") == text.replace(" ", "")


def test_words_are_not_broken_where_a_blank_is_near() -> None:
    assert wrap("one two three four", 9) == ["one two", "three", "four"]


def test_a_long_path_is_broken() -> None:
    assert wrap("/a" * 20, 16) == ["/a" * 8, "/a" * 8, "/a" * 4]


def test_wide_characters_take_two_cells() -> None:
    assert wrap("漢字漢字", 4) == ["漢字", "漢字"]


def test_shorten_marks_what_it_cut() -> None:
    assert shorten("0123456789", 6, "…") == "01234…"
    assert shorten("012345", 6, "…") == "012345"
