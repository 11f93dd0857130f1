"""Empty lines behind each line of a part of a text."""

from __future__ import annotations

from tests.source.test_strands import lines_of, split

RECORDS = [f"ERROR 09-01 10:00:05 [core.py:700] part {number}" for number in range(4)]


def test_few_records_that_are_padded_stand_together_within_other_text():
    text = "<details>\n<pre>\n" + "".join(f"{record}\n\n" for record in RECORDS) + "</pre>\n</details>\n"
    (strand,) = split(text)
    assert lines_of(strand) == ["<details>", "<pre>", *RECORDS, "</pre>", "</details>"]
    assert list(strand.line_numbers)[2:6] == [3, 5, 7, 9]


def test_few_paragraphs_within_other_text_stay_apart():
    text = "# Notes\nFirst\n" + "".join(f"paragraph {number}\n\n" for number in range(4)) + "Last\nEnd\n"
    assert lines_of(split(text)[0]).count("") == 4
