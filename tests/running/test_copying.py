"""The copy holds whole lines, in the order in which they ended, and never more than its bounds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracelens.running.copying import BoundedCopy, CopyFeed


def read(copy: BoundedCopy) -> bytes:
    copy.finish()
    feed, view, data = CopyFeed(copy), memoryview(bytearray(7)), b""
    while count := feed.readinto(view):
        data += view[:count]
    return data


@given(st.lists(st.binary(max_size=40)))
def test_one_stream_comes_back_as_it_was(chunks):
    copy = BoundedCopy()
    for chunk in chunks:
        copy.add(1, chunk)
    said = b"".join(chunks)
    assert read(copy) == said + b"\n" * (said[-1:] not in (b"", b"\n"))


def test_streams_do_not_cut_each_others_lines():
    copy = BoundedCopy()
    copy.add(1, b"Traceback (most")
    copy.add(2, b"warning\nmore")
    copy.add(1, b" recent call last):\n")
    assert read(copy) == b"warning\nTraceback (most recent call last):\nmore\n"


def test_line_without_end_does_not_fill_the_memory():
    copy = BoundedCopy(head=100_000, tail=100_000)
    for _ in range(100):
        copy.add(1, b"x" * 50_000)
    assert len(read(copy)) < 500_000


@given(st.integers(1, 400), st.integers(0, 300), st.integers(1, 300))
def test_middle_is_left_out_and_line_numbers_stay(lines, head, tail):
    copy = BoundedCopy(head=head, tail=tail)
    for number in range(lines):
        copy.add(1, b"%d\n" % number)
    kept = read(copy).split(b"\n")
    assert len(kept) == lines + 1
    assert all(line in (b"", b"%d" % number) for number, line in enumerate(kept[:-1]))
    assert kept[-2] == b"%d" % (lines - 1)
    assert sum(len(line) + 1 for line in kept if line) <= head + tail + 8
    assert bool(CopyFeed(copy).remarks) == (b"" in kept[:-1])
