"""Tracebacks that were cut, bent or interrupted on their way into the log."""

from __future__ import annotations

import pytest

from tests.parsing.strand import (
    FRAME,
    HEAD,
    TORCH_FRAME,
    chain,
    events_of,
    frames,
    innermost,
    names,
    parsed,
)
from tracelens.events import (
    CompilerDiagnostic,
    ExceptionChain,
)


class TestDamaged:
    def test_headless(self):
        found = chain("    return fn(x)\n" + FRAME + TORCH_FRAME + "ValueError: x\n")
        assert found.headless
        assert len(innermost(found).frames) == 2

    def test_nothing_but_the_exception_line(self):
        found = chain("RuntimeError: Engine core initialization failed.\n")
        assert found.headless
        assert innermost(found).frames == ()

    @pytest.mark.parametrize("tail", ["", "\nepoch 1\n", "\n\n" + HEAD + FRAME + "KeyError: later\n"])
    def test_tailless(self, tail):
        chains = events_of(ExceptionChain, HEAD + FRAME + TORCH_FRAME.rstrip("\n") + tail)
        assert chains[0].unfinished
        assert chains[0].exceptions[0].type_name == ""
        assert len(chains[0].exceptions[0].frames) == 2
        assert len(chains) == 1 + ("KeyError" in tail)

    def test_every_line_at_the_margin(self):
        text = "".join(line.lstrip() for line in (HEAD + FRAME + TORCH_FRAME).splitlines(keepends=True))
        only = innermost(chain(text + "RuntimeError: boom\n"))
        assert [frame.source for frame in frames(only)] == ["y = model(x)", "raise e.with_traceback(None) from None"]
        assert only.message == "boom"

    def test_every_line_indented(self):
        text = "".join(
            f"      {line}" for line in (HEAD + FRAME + "FileNotFoundError: nvcc\n").splitlines(keepends=True)
        )
        found = chain("  error: subprocess-exited-with-error\n" + text + "  note: from pip\n")
        assert names(found) == ["FileNotFoundError"]
        assert (found.span.line, found.span.end_line) == (2, 5)

    def test_frames_indented_too_far_stay_with_their_head(self):
        text = HEAD + FRAME.replace("  File", "        File") + "ValueError: x\n"
        assert len(innermost(chain(text)).frames) == 1

    def test_tabs_for_spaces(self):
        assert len(innermost(chain(HEAD + FRAME.replace("  File", "\tFile") + "ValueError: x\n")).frames) == 1


class TestForeignLines:
    LINES = (
        "/usr/bin/ld: cannot find -lcuda: No such file or directory\ncollect2: error: ld returned 1 exit status\n",
        "/x/main.c:5:10: fatal error: Python.h: No such file\n    5 | #include <Python.h>\n      |          ^~~~\n",
        "W1201 02:31:32.133000 2284 torch/_inductor/utils.py:207] [0/0] Not enough SMs\n",
        "/opt/x.py:12: UserWarning: slow\n  warnings.warn(\n",
        "Epoch 3: 10%\n",
        "[1/4] c++ -MMD -MF main.o.d -c main.cpp\n",
        "Loading: done\n",
        "compilation terminated.\n",
        "g++ -O3 -shared -c main.cpp -o main.o\n",
    )

    @pytest.mark.parametrize("foreign", LINES)
    @pytest.mark.parametrize("after", [1, 2, 3, 4])
    def test_foreign_lines_between_cost_nothing(self, foreign, after):
        lines = (HEAD + FRAME + TORCH_FRAME).splitlines(keepends=True)
        text = "".join(lines[:after]) + foreign + "".join(lines[after:]) + "RuntimeError: boom\n"
        only = innermost(chain(text))
        assert (only.type_name, only.message) == ("RuntimeError", "boom")
        assert [frame.line for frame in frames(only)] == [12, 663]
        assert len(parsed(text).events) > 1

    @pytest.mark.parametrize("after", [1, 2, 3, 4, 5])
    def test_a_diagnostic_in_a_traceback_comes_out_too(self, after):
        lines = (HEAD + FRAME + TORCH_FRAME).splitlines(keepends=True)
        text = "".join(lines[:after]) + self.LINES[0] + "".join(lines[after:]) + "RuntimeError: boom\n"
        found = events_of(CompilerDiagnostic, text)
        assert [event.message.partition(":")[0] for event in found] == [
            "cannot find -lcuda",
            "ld returned 1 exit status",
        ]
        assert [event.span.line for event in found] == [after + 1, after + 2]

    def test_text_that_follows_a_cut_traceback_is_not_its_exception(self):
        text = HEAD + FRAME + "epoch 1\nepoch 2\n\nall good\n" + "x\n" * 3000 + "RuntimeError: later\n"
        first, second = events_of(ExceptionChain, text)
        assert first.unfinished
        assert second.headless


class TestNumbers:
    HUGE = "7" * 5000

    @pytest.mark.parametrize(
        "line",
        [
            f'  File "a.py", line {HUGE}, in f\n',
            f"Cell In[3], line {HUGE}\n",
            f"File /a.py:{HUGE}, in f(x)\n",
            f"a.py:{HUGE}: in f\n",
            f"/a.py:{HUGE} in f\n",
            f'  File "a.py", line 3, in f\n  [Previous line repeated {HUGE} more times]\n',
        ],
    )
    def test_a_line_number_of_any_length_is_no_crash(self, line):
        assert innermost(chain(HEAD + line + "ValueError: x\n")).message == "x"

    def test_a_place_of_any_length_is_no_crash(self):
        assert len(innermost(chain(f">       f(1)\nValueError: x\n\na.py:{self.HUGE}: ValueError\n")).frames) == 0
