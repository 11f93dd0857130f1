"""Nothing in a log may act on whoever reads the report."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.report.harmless import harmless, harmless_line, whole_characters

ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]" r"|##\w*\[|(?:^|\s)::"
)


@pytest.mark.parametrize(
    ("hostile", "visible"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\x00b\x7f\x9bc", "a\\x00b\\x7f\\x9bc"),
        ("evil\u202etxt", "evil\\u202etxt"),
        ("byte\udcff", "byte\\xff"),
        ("##[error]boom", "# #[error]boom"),
        ("##vso[task.setvariable]x", "# #vso[task.setvariable]x"),
        ("::error file=a::b", ": :error file=a::b"),
        ("x\n  ::set-output name=a::b", "x\n  : :set-output name=a::b"),
    ],
)
def test_what_could_act_is_written_out(hostile: str, visible: str) -> None:
    assert harmless(hostile) == visible


@pytest.mark.parametrize("innocent", ["std::vector<int>::size", "  [red]not markup[/red]", "größe ✓ 漢字", "# comment"])
def test_what_cannot_act_is_left_alone(innocent: str) -> None:
    assert harmless(innocent) == innocent


@given(st.text())
def test_any_text_is_harmless_afterwards(text: str) -> None:
    assert ACTING.search(harmless(text)) is None


@given(st.text())
def test_any_text_fits_on_one_line(text: str) -> None:
    assert "\n" not in harmless_line(text)


@given(st.binary())
def test_any_bytes_survive_as_characters_or_as_hex(data: bytes) -> None:
    text = data.decode("utf-8", errors="surrogateescape")
    shown = whole_characters(text)
    shown.encode("utf-8")
    assert shown.count("\\x") >= sum("\udc80" <= character <= "\udcff" for character in text)
