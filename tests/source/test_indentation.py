from __future__ import annotations

import pytest

from tests.source.dressing import CRASH
from tests.source.test_strands import lines_of, split

TRACEBACK = CRASH[:7]


@pytest.mark.parametrize("indent", [" ", "  ", "    ", "      ", "\t", "\t\t"])
def test_what_all_lines_are_indented_by_comes_off(indent):
    (strand,) = split("\n".join(indent + line if line else line for line in CRASH))
    assert lines_of(strand) == CRASH


def test_the_middle_of_a_traceback_keeps_its_indentation():
    lines = TRACEBACK[1:6]
    assert lines_of(split("\n".join(lines))[0]) == lines
    assert lines_of(split("\n".join("    " + line for line in lines))[0]) == lines


def test_pip_s_block_comes_back_to_the_margin():
    head = [
        "Collecting x",
        "  error: subprocess-exited-with-error",
        "  × setup.py did not run.",
        "  ╰─> [7 lines of output]",
    ]
    for lines in (TRACEBACK, ["building", "  x.c:1: error: y", "error: command failed"]):
        block = [f"      {line}" for line in lines]
        (strand,) = split("\n".join([*head, *block, "      [end of output]", "  note: this", "ERROR: failed"]))
        assert lines_of(strand) == [*head, *lines, "[end of output]", "  note: this", "ERROR: failed"]


def test_an_indented_traceback_among_other_lines_comes_back_to_the_margin():
    (strand,) = split("\n".join(["Running setup.py", *[f"    {line}" for line in TRACEBACK], "done"]))
    assert lines_of(strand) == ["Running setup.py", *TRACEBACK, "done"]


def test_exception_groups_keep_their_gutter():
    lines = [
        "  + Exception Group Traceback (most recent call last):",
        '  |   File "/a.py", line 1, in <module>',
        "  | ExceptionGroup: x (1 sub-exception)",
        "  +-+---------------- 1 ----------------",
        "    | Traceback (most recent call last):",
        '    |   File "/a.py", line 2, in f',
        "    | ValueError: y",
        "    +------------------------------------",
    ]
    assert lines_of(split("\n".join(lines))[0]) == lines


def test_pytest_s_mark_comes_off_with_the_indentation_of_the_code():
    lines = [
        ">       return fn(x)",
        "E       torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:",
        "E       RuntimeError: x",
        "E       ",
        "E       You can suppress this:",
        "E           import torch._dynamo",
        "E",
        "a.py:3: BackendCompilerFailed",
    ]
    assert lines_of(split("\n".join(lines))[0]) == [
        ">       return fn(x)",
        "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:",
        "RuntimeError: x",
        "",
        "You can suppress this:",
        "    import torch._dynamo",
        "",
        "a.py:3: BackendCompilerFailed",
    ]


def test_frames_that_lost_their_indentation_get_it_back():
    (strand,) = split("\n".join(line.lstrip() for line in CRASH))
    # Where the marks below a line of source stood cannot be known.
    assert [line for line in lines_of(strand)[:7] if line.strip("^ ")] == [
        line for line in TRACEBACK if line.strip("^ ")
    ]


def test_a_frame_without_source_does_not_indent_the_exception_below_it():
    lines = ["Traceback (most recent call last):", 'File "<frozen x>", line 1, in f', "ImportError: y"]
    assert lines_of(split("\n".join(lines))[0]) == [lines[0], "  " + lines[1], lines[2]]


def test_spaces_behind_every_line_come_off():
    (strand,) = split("".join(f"{line.ljust(140)}\n" for line in CRASH))
    assert lines_of(strand) == CRASH


def test_an_empty_line_behind_each_line_goes():
    for lines in (CRASH, TRACEBACK, CRASH[8:14]):
        (strand,) = split("".join(f"{line}\n\n" for line in lines), 3)
        assert lines_of(strand) == lines
        assert list(strand.line_numbers) == list(range(3, 3 + 2 * len(lines), 2))


def test_paragraphs_stay_apart():
    lines = [line for i in range(9) for line in (f"Paragraph {i} of a text about errors.", "")]
    assert lines_of(split("\n".join(lines) + "\n")[0]) == lines


@pytest.mark.parametrize("indent", ["\t", "    \t"])
def test_a_paragraph_that_somebody_indented_by_a_tab_comes_back_to_the_margin(indent):
    around = ["PyTorch version: 2.6.0", ""]
    for lines in (TRACEBACK, ["tcc: error: file 'python312.lib' not found"]):
        (strand,) = split("\n".join([*around, *(indent + line for line in lines), "", "thanks"]))
        assert lines_of(strand) == [*around, *lines, "", "thanks"]


def test_tabs_below_a_line_of_the_same_paragraph_are_its_own():
    lines = ["ldd x.so:", "\tlibcuda.so.1 => not found", "\tlibc.so.6 => /lib/libc.so.6", "", "next"]
    assert lines_of(split("\n".join(lines))[0]) == lines


def test_what_is_fenced_is_a_text_of_its_own():
    head, record = ["### Error logs", "", "```"], ["start=26", "W0612 09:14:31.903000 1 torch/x.py:1] [0/0] text"]
    (strand,) = split("\n".join([*head, *(f"    {line}" for line in record), "```", "", "thanks"]))
    assert lines_of(strand) == [*head, *record, "```", "", "thanks"]


def test_an_indented_notebook_s_traceback_comes_back_to_the_margin():
    head = "ValueError                                Traceback (most recent call last)"
    lines = ["-" * 75, head, "Cell In[4], line 2", "ValueError: x"]
    (strand,) = split("\n".join(["What I get:", "", *(f"    {line}" for line in lines), "", "thanks"]))
    assert lines_of(strand) == ["What I get:", "", *lines, "", "thanks"]


def test_frames_may_be_indented_by_a_tab_below_what_all_are_indented_by():
    lines = ["test_x ... Traceback (most recent call last):", '\tFile "/a.py", line 1, in f', "\treturn g()", "ok"]
    (strand,) = split("\n".join(f"      {line}" for line in lines))
    assert lines_of(strand) == lines


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("```", "```"), ("<pre>", "</pre>"), ("<pre><code>", "</code></pre>"), ("<code>", "</code>")],
)
@pytest.mark.parametrize("indent", ["\t", "    "])
def test_what_is_shown_as_it_is_comes_back_to_the_margin(opening, closing, indent):
    block = ['  File "setup.py", line 30, in <module>', "RuntimeError: Cannot find CUDA_HOME.", "and more"]
    (strand,) = split("\n".join(["This:", opening, *[indent + line for line in block], closing, "Thanks"]))
    assert lines_of(strand) == ["This:", opening, *block, closing, "Thanks"]


def test_a_report_of_pytest_among_other_lines_comes_back_to_the_margin():
    report = ["______ test_compile[True] ______", "a.py:88: in test_compile", "    y = model(x)", "ImportError: x"]
    (strand,) = split("\n".join(["torch==2.6.0", "", *[f"    {line}" for line in report]]))
    assert lines_of(strand) == ["torch==2.6.0", "", *report]
