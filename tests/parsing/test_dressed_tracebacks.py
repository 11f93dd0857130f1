"""Tracebacks as loggers, notebooks, debuggers and test runners show them."""

from __future__ import annotations

import pytest

from tests.parsing.strand import (
    FRAME,
    HEAD,
    TORCH_FRAME,
    chain,
    corpus_text,
    events_of,
    frames,
    innermost,
    names,
)
from tracelens.events import (
    AutotuneFailure,
    CompilerInvocation,
    ExceptionChain,
    Level,
    LogRecord,
    Owner,
    ProcessExit,
)


class TestRecords:
    OLD = "[2023-11-29 22:29:33,093] torch._dynamo.convert_frame: [WARNING] "
    GLOG = "W1201 02:49:08.660000 31393 torch/_dynamo/convert_frame.py:2415] [0/0] "
    VLLM = "ERROR 01-28 17:37:45 [core.py:866] "
    BODY = (
        "WON'T CONVERT f\ndue to: \n"
        + HEAD
        + FRAME
        + "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\nImportError: no\n"
    )

    @pytest.mark.parametrize("header", [OLD, GLOG, VLLM])
    def test_a_traceback_under_a_header_on_every_line(self, header):
        text = "".join(header + line for line in self.BODY.splitlines(keepends=True))
        found = chain(text)
        assert names(found) == ["ImportError", "BackendCompilerFailed"]
        assert found.record is not None
        assert found.record.level is (Level.ERROR if header is self.VLLM else Level.WARNING)
        assert found.span.line == 3
        (record,) = events_of(LogRecord, text)
        assert record.message.startswith("WON'T CONVERT f\ndue to:")

    def test_a_record_that_takes_more_than_a_second(self):
        late = self.VLLM.replace(":45", ":46")
        lines = (HEAD + FRAME + TORCH_FRAME + "RuntimeError: boom\n").splitlines(keepends=True)
        text = "".join((self.VLLM if index < 3 else late) + line for index, line in enumerate(lines))
        assert len(innermost(chain(text)).frames) == 2
        assert innermost(chain(text)).message == "boom"

    def test_a_header_on_the_first_line_only(self):
        text = "2024-01-01 00:00:00,123 - trainer - ERROR - step failed\n" + HEAD + FRAME + "KeyError: 'a'\n"
        found = chain(text)
        assert found.record is not None
        assert found.record.level is Level.ERROR
        assert [event.message for event in events_of(LogRecord, text)] == ["step failed"]

    @pytest.mark.parametrize(
        "line",
        [
            "2024-01-01 00:00:01,125 - trainer - WARNING - slow\n",
            "W1201 02:31:32.133000 2284 torch/_inductor/utils.py:207] [0/0] Not enough SMs to use this mode:\n",
        ],
    )
    def test_a_traceback_below_a_warning_of_something_else_is_not_its_own(self, line):
        assert chain(line + HEAD + FRAME + "KeyError: 'a'\n").record is None

    def test_a_record_that_says_nothing_but_the_first_line_of_a_traceback(self):
        text = f"ERROR:root:{HEAD}{FRAME}RuntimeError: boom\n"
        assert chain(text).record is not None
        assert events_of(LogRecord, text) == []

    @pytest.mark.parametrize(
        "header", ["[2025-07-10 14:20:55 TP0] ", "2024-01-01 00:00:00,123 - root - INFO - ", "ERROR:root:"]
    )
    def test_the_first_line_of_a_traceback_on_the_line_of_its_record(self, header):
        text = f"{header}Scheduler hit an exception: {HEAD}{FRAME}RuntimeError: boom\n"
        found = chain(text)
        assert (found.headless, found.unfinished) == (False, False)
        assert found.record is not None
        assert [event.message for event in events_of(LogRecord, text)] == ["Scheduler hit an exception:"]

    def test_loguru_marks_a_frame_and_shows_values(self):
        text = (
            "2024-01-01 00:00:00.000 | ERROR    | __main__:<module>:10 - failed\n"
            + HEAD
            + '\n  File "/home/u/a.py", line 14, in <module>\n    f()\n    \u2514 <function f at 0x7f>\n'
            + '\n> File "/home/u/a.py", line 10, in f\n    g(x)\n    \u2502 \u2514 3\n\nValueError: bad\n'
        )
        found = chain(text)
        assert [frame.line for frame in frames(innermost(found))] == [14, 10]
        assert found.record is not None
        assert found.record.level is Level.ERROR

    def test_an_exception_that_python_could_only_report_is_no_crash(self):
        text = f"Exception ignored in: <function BaseFileLock.__del__ at 0x7f1b>\n{HEAD}{FRAME}TypeError: x\n"
        found = chain(text)
        assert found.record is not None
        assert found.record.level is Level.INFO

    def test_records_without_a_time_are_told_apart(self):
        assert [event.message for event in events_of(LogRecord, "INFO:     one\nINFO:     two\n")] == ["one", "two"]

    def test_uvicorn_prints_a_traceback_under_a_padded_level(self):
        found = chain(corpus_text("reports/024-permission-container-home"))
        assert names(found) == ["PermissionError"]
        assert len(innermost(found).frames) == 6
        assert found.record is not None
        assert found.record.level is Level.ERROR

    def test_the_stack_of_a_record_is_no_failure(self):
        text = "".join(
            "W1201 02:31:32.133000 2284 torch/_guards.py:377] " + line + "\n"
            for line in ("Created at:", '  File "/a/torch/x.py", line 911, in trace_frame', "    tracer = T(")
        )
        assert events_of(ExceptionChain, text) == []
        assert "Created at:" in events_of(LogRecord, text)[0].message


class TestNotebooks:
    def test_ipython(self):
        found = chain(corpus_text("lab/2.13.0/nocxx-ipython-plain"))
        assert names(found) == ["InvalidCxxCompiler", "InductorError"]
        assert not found.headless
        first, *_, last = frames(found.exceptions[-1])
        assert (first.path, first.line, first.source) == ("/workspace/mlp.py", 10, "y = model(x, w)")
        assert last.function == "cpp_compiler_search"
        assert last.owner is Owner.TORCH

    def test_colab(self):
        found = chain(corpus_text("reports/063-libcuda-assert-colab-frames"))
        assert names(found) == ["AssertionError"]
        assert [frame.line for frame in frames(innermost(found))] == [11, 39, 61, 30]
        assert frames(innermost(found))[-1].owner is Owner.TRITON

    @pytest.mark.parametrize(
        "cell", ["Cell In[3], line 10", "Input In [3], in <cell line: 1>()", "<ipython-input-3-ab> in <module>"]
    )
    def test_cells_of_every_era(self, cell):
        head = f"{'-' * 75}\nNameError          Traceback (most recent call last)\n"
        text = f"{head}{cell}\n      9 a\n---> 10 b\n\nNameError: b\n"
        only = innermost(chain(text))
        assert (frames(only)[0].line, frames(only)[0].source, frames(only)[0].owner) == (10, "b", Owner.USER)

    def test_vs_code(self):
        text = (
            "Exception has occurred: RuntimeError       (note: full exception trace is shown but execution is paused)\n"
            "Failed to find C compiler.\n" + FRAME + '  File "/home/u/a.py", line 9, in <module>\n    f()\n'
        )
        found = chain(text)
        assert (innermost(found).type_name, innermost(found).message) == ("RuntimeError", "Failed to find C compiler.")
        assert len(innermost(found).frames) == 2

    def test_vs_code_with_a_chain(self):
        found = chain(corpus_text("reports/044-ptxas-sm86-vscode-exception"))
        assert names(found) == ["RuntimeError", "BackendCompilerFailed"]
        assert not found.unfinished

    def test_vs_code_with_the_output_of_a_program(self):
        text = (
            "Exception has occurred: CppCompileError\nC++ compile error\n\nCommand:\ng++ -O3 -c a.cpp\n\nOutput:\nno\n"
            + FRAME
        )
        found = chain(text)
        assert innermost(found).message.endswith("Output:\nno")
        assert len(innermost(found).frames) == 1
        assert len(events_of(CompilerInvocation, text)) == 1

    def test_rich_without_its_box(self):
        text = (
            "Traceback (most recent call last)\n/home/u/train.py:12 in main\n    9 model = torch.compile(m)\n   10 \n"
            "\u2771 12 y = model(x)\n   13 \nRuntimeError: Cannot find a working triton installation\n"
        )
        only = innermost(chain(text))
        assert [(frame.path, frame.line, frame.source) for frame in frames(only)] == [
            ("/home/u/train.py", 12, "y = model(x)")
        ]


class TestPytest:
    LONG = """\
    def test_x():
>       f(1)

test_a.py:7:{space}
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

x = 1

    def f(x):
>       raise RuntimeError("no compiler")
E       RuntimeError: no compiler
E
E       Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace

test_a.py:4: RuntimeError
=========================== short test summary info ============================
FAILED test_a.py::test_x - RuntimeError: no compiler
"""

    @pytest.mark.parametrize("strip", [False, True])
    def test_long(self, strip):
        text = self.LONG.format(space=" ")
        text = text.replace("E       ", "").replace("\nE\n", "\n\n") if strip else text
        found = chain(text)
        assert names(found) == ["RuntimeError"]
        assert innermost(found).message.startswith("no compiler")
        assert "TORCHDYNAMO_VERBOSE" in innermost(found).message
        assert [frame.line for frame in frames(innermost(found))] == [7, 4]

    def test_short(self):
        found = chain(corpus_text("reports/061-glibcxx-pytest-short-frames"))
        assert names(found) == ["ImportError"]
        assert "CXXABI_1.3.9" in innermost(found).message
        assert frames(innermost(found))[0].function == "test_compile_cpu"
        assert len(innermost(found).frames) == 9

    def test_a_real_run(self):
        chains = events_of(ExceptionChain, corpus_text("lab/2.5.1/nocxx-pytest"))
        assert names(chains[0])[0] == "InvalidCxxCompiler"


class TestAutotuning:
    def test_a_dropped_choice_takes_its_traceback(self):
        text = corpus_text("lab/2.11.0-cuda/bench")
        assert events_of(ExceptionChain, text) == []
        failures = events_of(AutotuneFailure, text)
        assert len(failures) > 5
        assert any("for benchmark choice" in failure.message for failure in failures)
        assert any("Ignoring this choice" in failure.message for failure in failures)

    def test_without_a_header(self):
        text = corpus_text("reports/070-flex-attention-out-of-resource-not-oom")
        (failure,) = events_of(AutotuneFailure, text)
        assert failure.choice is not None
        assert failure.choice.startswith("TritonTemplateCaller(")
        assert events_of(ExceptionChain, text) == []


class TestTorchelastic:
    def test_the_table_is_a_message_and_one_exit_per_rank(self):
        text = corpus_text("lab/2.13.0/torchrun-rank1-exit")
        found = [exit_ for exit_ in events_of(ProcessExit, text) if exit_.rank is not None and exit_.record is None]
        assert [(exit_.rank, exit_.exit_code, exit_.first_failure) for exit_ in found] == [
            (0, -15, False),
            (1, 9, True),
        ]
        assert any("ChildFailedError" in names(found) for found in events_of(ExceptionChain, text))
