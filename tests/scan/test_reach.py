"""How far a block reaches: what leaps over lines says what going line by line does."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.scan.logs import TIGHT, line_slices
from tracelens.scan.options import ScanOptions
from tracelens.scan.reach import reach_forward

#: Lines that continue a block, lines that do not, and how often each follows itself.
LINES = st.sampled_from(
    [b" x", b"  int y;", b"\tz", b"E   no", b"\xe2\x94\x82 in", b"plain", b"", b"\r", b" " * 90, b"p" * 90]
)
RUNS = st.lists(st.tuples(LINES, st.sampled_from([1, 2, 5, 24, 25, 26, 60])), max_size=12)


def line_by_line(text: bytes, options: ScanOptions, mark_until: int) -> tuple[int, int, bool]:
    """Return what ``reach_forward`` does for a text without marks, from its beginning."""
    live = place = foreign = 0
    for line in line_slices(text):
        if place < mark_until and line.startswith((b" ", b"\t", b"E  ", b"\xe2\x94\x82")):
            live, foreign = place + len(line), 0
        elif line[:1] not in (b"\n", b"\r"):
            foreign += 1
        if place + len(line) - live > options.after_bytes or foreign > options.after_lines:
            return live, place, True
        place += len(line)
    return live, len(text), False


@given(RUNS, st.sampled_from([ScanOptions(), TIGHT]), st.integers(0, 6000))
@example([(b"plain", 24), (b" x", 1)], ScanOptions(), 6000)
@example([(b"plain", 25), (b" x", 1)], ScanOptions(), 6000)
@example([(b"", 40), (b"plain", 24), (b" x", 1)], ScanOptions(), 6000)
@example([(b"p" * 90, 4), (b" x", 1)], TIGHT, 6000)
@example([(b"plain", 4), (b" x", 1), (b"plain", 22)], ScanOptions(), 20)
def test_leaps_end_where_steps_do(runs, options, mark_until):
    text = b"".join((line + b"\n") * times for line, times in runs)
    buffer = bytearray(b"hit\n" + text)
    live, end, is_certain = reach_forward(buffer, 4, len(buffer), 4 + mark_until, options)
    assert (live - 4, end - 4, is_certain) == line_by_line(text, options, mark_until)
