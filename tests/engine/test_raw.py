from __future__ import annotations

import pytest

from tests.engine.by_hand import span
from tracelens.engine import raw as raw_module
from tracelens.engine.raw import RawLines
from tracelens.text import Region


def region(first: int, count: int) -> Region:
    return Region(first_line=first, text="".join(f"line {number} \udcff\n" for number in range(first, first + count)))


@pytest.fixture(params=[4_000_000, 50], ids=["plain", "compressed"])
def lines(request, monkeypatch) -> RawLines:
    monkeypatch.setattr(raw_module, "_PLAIN_CHARACTERS", request.param)
    kept = RawLines()
    for first in (1, 100, 110, 500):
        kept.add(region(first, 10))
    return kept


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (span(1, 2), [1, 2]),
        (span(105), [105]),
        (span(108, 112), [108, 109, 110, 111, 112]),
        (span(9, 101), [9, 10, 100, 101]),
        (span(50, 60), []),
        (span(509, 900), [509]),
    ],
)
def test_lines_come_from_the_regions_that_hold_them(lines, wanted, numbers):
    assert lines.excerpt(wanted) == "\n".join(f"line {number} \udcff" for number in numbers)


def test_a_last_line_without_a_newline_is_a_line():
    kept = RawLines()
    kept.add(Region(first_line=1, text="one\ntwo"))
    assert kept.excerpt(span(2, 9)) == "two"


def test_nothing_kept_gives_nothing():
    assert RawLines().excerpt(span(1, 9)) == ""
