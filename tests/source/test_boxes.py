from __future__ import annotations

import io

import pytest

from tests.source.test_strands import lines_of, split

rich_traceback = pytest.importorskip("rich.traceback")
rich_console = pytest.importorskip("rich.console")


MESSAGE = "No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')"
WRAPPER = "backend='inductor' raised: something"


def fail(depth: int) -> None:
    if depth:
        return fail(depth - 1)
    raise ValueError(MESSAGE)


def drawn(width: int, *, show_locals: bool = False) -> str:
    """Let rich itself draw a chain of two exceptions."""
    file = io.StringIO()
    console = rich_console.Console(file=file, width=width, color_system=None, legacy_windows=False, _environ={})
    try:
        try:
            fail(1)
        except ValueError as error:
            raise RuntimeError(WRAPPER) from error
    except RuntimeError:
        console.print(rich_traceback.Traceback(width=width, show_locals=show_locals))
    return file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.parametrize("show_locals", [False, True])
def test_a_boxed_traceback_becomes_a_plain_one(width, show_locals):
    (strand,) = split(drawn(width, show_locals=show_locals))
    lines = lines_of(strand)
    frames = [line for line in lines if line.startswith("  File ")]
    assert [frame.rpartition(", in ")[2] for frame in frames] == ["drawn", "fail", "fail", "drawn"]
    assert all(f'"{__file__}", line ' in frame for frame in frames)
    assert "    fail(1)" in lines
    assert lines.count("Traceback (most recent call last):") == 2
    assert f"ValueError: {MESSAGE}" in lines
    assert "The above exception was the direct cause of the following exception:" in lines
    assert f"RuntimeError: {WRAPPER}" in lines
    assert not any(edge in strand.text for edge in "╭│╰❱")


def test_rows_remember_where_they_stood():
    text = drawn(100)
    (strand,) = split(text)
    raw = text.split("\n")
    frames = 0
    for line, number in zip(lines_of(strand), strand.line_numbers, strict=True):
        if line.startswith("  File "):
            frames += 1
            place, _, name = line.removeprefix('  File "').replace('", line ', ":").partition(", in ")
            assert f"{place} in {name}" in raw[number - 1]
    assert frames == 4


def test_a_box_drawn_in_ascii_is_read_likewise():
    text = (
        "+--------------------- Traceback (most recent call last) ---------------------+\n"
        "| C:\\work\\train.py:12 in main                                                 |\n"
        "|                                                                             |\n"
        "|   11     x = 1                                                              |\n"
        "| > 12     y = model(x)                                                       |\n"
        "+-----------------------------------------------------------------------------+\n"
        "RuntimeError: Compiler: cl is not found.\n"
    )
    (strand,) = split(text)
    assert lines_of(strand) == [
        "Traceback (most recent call last):",
        '  File "C:\\work\\train.py", line 12, in main',
        "    y = model(x)",
        "RuntimeError: Compiler: cl is not found.",
    ]
    assert list(strand.line_numbers) == [1, 2, 5, 7]


def test_a_box_whose_top_was_cut_off_is_read_from_its_first_frame():
    lines = drawn(100).split("\n")
    middle = next(i for i, line in enumerate(lines) if line.startswith("│ /") and " in fail " in line)
    (strand,) = split("\n".join(lines[middle:]))
    assert lines_of(strand)[0].startswith("  File ")
    assert "│" not in strand.text


def test_a_path_folded_within_the_box_is_one_path():
    path = "/opt/venv/lib/python3.11/site-packages/torch/_inductor/a_very_long_name/compile_fx.py"
    inside = f"{path}:1059 in"
    rows = [inside[i : i + 56] for i in range(0, len(inside), 56)] + ["_compile_fx_inner"]
    box = ["╭─────────── Traceback (most recent call last) ────────────╮"]
    box += [f"│ {row:<56} │" for row in rows]
    box += ["╰──────────────────────────────────────────────────────────╯", "ValueError: x"]
    (strand,) = split("\n".join(box))
    assert lines_of(strand)[1] == f'  File "{path}", line 1059, in _compile_fx_inner'


@pytest.mark.parametrize(
    "text",
    [
        "  │ exit code: 1\n  ╰─> [25 lines of output]\n      x\n      [end of output]\n",
        "│ a │ b │\n│ c │ d │\n",
        "╭───╮\n│ x │\n╰───╯\n",
        "+-----+\n| x   |\n+-----+\n",
    ],
)
def test_other_boxes_stay(text):
    (strand,) = split(text)
    assert strand.text.count("│") == text.count("│")
    assert strand.text.count("|") == text.count("|")
