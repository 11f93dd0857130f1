"""Whole parts are left out, the least important first, and it is said."""

from __future__ import annotations

from tracelens.report.sections import Section, Worth, fit


def parts(*worths: Worth, size: int = 1_000) -> list[Section]:
    """Return one part of each worth, named for it."""
    return [Section(name=worth.name.lower(), worth=worth, text=worth.name[0] * size) for worth in worths]


def test_everything_is_kept_where_it_fits():
    text = fit(parts(Worth.ANSWER, Worth.LOG, Worth.REFERENCES), 10_000)
    assert "Left out" not in text
    assert text.startswith("A")


def test_least_important_part_goes_first():
    text = fit(parts(Worth.ANSWER, Worth.REFERENCES, Worth.LOG, Worth.MORE_FIXES), 3_500)
    assert text.endswith("Left out, as this report may have 3,500 bytes and whole parts go first: references.\n")
    assert "L" * 1_000 in text


def test_of_equal_parts_the_last_goes_first():
    sections = [Section(name=f"part {n}", worth=Worth.LOG, text=str(n) * 1_000) for n in range(4)]
    text = fit(sections, 2_900)
    assert "0" * 1_000 in text
    assert "part 3, part 2" in text


def test_answer_is_never_left_out():
    assert "A" * 1_000 in fit(parts(Worth.ANSWER, Worth.LOG), 100)
