"""Tracebacks in every shape that a log can show them in."""

from __future__ import annotations

import concurrent.futures
import sys
import traceback

import pytest

from tests.parsing.strand import chain, corpus_text, events_of, frames, innermost, names, parsed
from tracelens.events import (
    AutotuneFailure,
    CompilerDiagnostic,
    CompilerInvocation,
    Elision,
    ExceptionChain,
    Level,
    LogRecord,
    Owner,
    ProcessExit,
    Relation,
    Text,
)

HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "/home/u/train.py", line 12, in main\n    y = model(x)\n'
TORCH_FRAME = (
    '  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", line 663, in _fn\n'
    "    raise e.with_traceback(None) from None\n"
)


def real(raise_it) -> str:
    """Return the traceback that this Python prints for what a function raises."""
    try:
        raise_it()
    except BaseException:  # noqa: BLE001 - whatever it raises is what the test is about
        return traceback.format_exc()
    return pytest.fail("nothing was raised")


def throw(error: BaseException, cause: BaseException | None = None) -> None:
    if cause is not None:
        raise error from cause
    raise error


def crash_in_worker() -> None:
    raise FileNotFoundError(2, "No such file or directory", "main.cpp")


class TestPlain:
    def test_frames_type_and_message(self):
        found = chain(HEAD + FRAME + TORCH_FRAME + "torch._dynamo.exc.Unsupported: no way\n")
        only = innermost(found)
        assert (only.type_name, only.message) == ("torch._dynamo.exc.Unsupported", "no way")
        assert [(frame.line, frame.function, frame.owner) for frame in frames(only)] == [
            (12, "main", Owner.USER),
            (663, "_fn", Owner.TORCH),
        ]
        assert frames(only)[0].source == "y = model(x)"
        assert (found.headless, found.unfinished) == (False, False)
        assert (found.span.line, found.span.end_line) == (1, 6)
        assert (only.span.line, only.span.end_line) == (6, 6)

    @pytest.mark.parametrize(
        "line", ["KeyboardInterrupt", "SystemExit: 1", "queue.Empty", "AssertionError", "Foo: bar"]
    )
    def test_any_name_can_be_an_exception_below_frames(self, line):
        assert innermost(chain(HEAD + FRAME + line + "\n")).type_name == line.partition(":")[0]

    def test_a_message_takes_the_lines_that_belong_to_it(self):
        text = (
            HEAD
            + FRAME
            + "torch.AcceleratorError: CUDA error: device-side assert triggered\n"
            + "CUDA kernel errors might be asynchronously reported at some other API call\n"
            + "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n\n"
            + "Exception raised from c10_cuda_check_implementation at CUDAException.cpp:44 (most recent call first):\n"
            + "frame #0: c10::Error::Error(c10::SourceLocation) + 0x96 (0x7fd2 in /opt/libc10.so)\n\n"
            + "step=1 loss=2\n"
        )
        found = chain(text)
        assert innermost(found).message.endswith("/opt/libc10.so)")
        assert [event.message for event in events_of(Text, text)] == ["step=1 loss=2"]

    def test_an_empty_first_line_does_not_end_a_message(self):
        text = HEAD + FRAME + "RuntimeError: \nThe detected CUDA version (12.2) mismatches\nPyTorch (11.7).\n"
        assert innermost(chain(text)).message.strip().startswith("The detected CUDA version")

    def test_source_markers_of_new_pythons_are_no_frames(self):
        text = (
            HEAD
            + '  File "a.py", line 5, in <module>\n    f()\n    ~^^\n'
            + '  File "a.py", line 9, in g\n    raise Foo(\n    ...<3 lines>...\n    )\n'
            + "ValueError: x\n"
        )
        only = innermost(chain(text))
        assert [frame.line for frame in frames(only)] == [5, 9]

    def test_paragraphs_belong_to_a_message_that_goes_on_below_them(self):
        text = (
            "ValueError: one\n\ntwo\n\n  three\n\nfour\n\nThe above exception was the direct cause of the following "
            "exception:\n\n" + HEAD + FRAME + "RuntimeError: x\n"
        )
        found = chain(text)
        assert innermost(found).message == "one\n\ntwo\n\n  three\n\nfour"
        assert not found.headless

    def test_a_user_stack_belongs_to_the_message(self):
        found = chain(corpus_text("lab/2.13.0/print-gb"))
        message = innermost(found).message
        assert "from user code:" in message
        assert "Set TORCHDYNAMO_VERBOSE=1" in message
        assert len(innermost(found).frames) == 2


class TestFromThisPython:
    def test_cause(self):
        def fail():
            try:
                throw(KeyError("cubin"))
            except KeyError as error:
                throw(RuntimeError("compile failed"), error)

        found = chain(real(fail))
        assert names(found) == ["KeyError", "RuntimeError"]
        assert [exception.relation for exception in found.exceptions] == [Relation.CAUSE, None]

    def test_context(self):
        def fail():
            try:
                throw(KeyError("cubin"))
            except KeyError:
                throw(RuntimeError("while handling"))

        assert [exception.relation for exception in chain(real(fail)).exceptions] == [Relation.CONTEXT, None]

    def test_repeated_frames_are_an_elision(self):
        def fail():
            return fail()

        stack = innermost(chain(real(fail))).frames
        assert any(isinstance(frame, Elision) and (frame.count or 0) > 100 for frame in stack)

    def test_syntax_error(self):
        found = chain(real(lambda: compile("x = = 1", "gen.py", "exec")))
        assert names(found) == ["SyntaxError"]
        assert frames(innermost(found))[-1].path == "gen.py"

    def test_another_process(self):
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            text = real(lambda: pool.submit(crash_in_worker).result())
        found = chain(text)
        assert names(found) == ["FileNotFoundError", "FileNotFoundError"]
        assert frames(innermost(found))[-1].function == "crash_in_worker"
        assert not found.headless

    @pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with 3.11")
    def test_groups_and_notes(self):
        def fail():
            error = ValueError("inner")
            if sys.version_info >= (3, 11):
                error.add_note("a note")
                throw(ExceptionGroup("two at once", [error, TypeError("other")]))  # noqa: F821 - 3.11

        chains = events_of(ExceptionChain, real(fail))
        assert [names(found) for found in chains] == [["ExceptionGroup"], ["ValueError"], ["TypeError"]]
        assert "a note" in innermost(chains[1]).message


REMOTE = '''multiprocessing.pool.RemoteTraceback:{space}
"""
Traceback (most recent call last):
  File "a.py", line 3, in f
    import triton
ModuleNotFoundError: No module named 'triton'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 5, in f
    raise RuntimeError("no triton")
RuntimeError: no triton
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "a.py", line 11, in <module>
    p.map(f, [1])
RuntimeError: no triton
'''


SPAWNED = "-- Process 0 terminated with the following error:\n"


class TestRelayed:
    @pytest.mark.parametrize("space", ["", " "])
    def test_quoted_remote_traceback(self, space):
        found = chain(REMOTE.format(space=space))
        assert names(found) == ["ModuleNotFoundError", "RuntimeError", "RuntimeError"]
        assert [exception.relation for exception in found.exceptions] == [Relation.CONTEXT, Relation.CAUSE, None]

    def test_a_remote_traceback_that_is_cut(self):
        found = chain(REMOTE.format(space=" ").partition("During")[0])
        assert names(found) == ["ModuleNotFoundError"]

    @pytest.mark.parametrize(
        ("outer", "introduction"),
        [
            (
                "torch.multiprocessing.spawn.ProcessRaisedException: \n\n",
                "-- Process 0 terminated with the following error:\n",
            ),
            ("RuntimeError: Caught KeyError in DataLoader worker process 0.\n", "Original "),
            ("torch._inductor.exc.InductorError: SubprocException: An exception occurred in a subprocess:\n\n", ""),
            ("ray.exceptions.RayTaskError(KeyError): ray::f() (pid=1, ip=10.0.0.1)\n", None),
        ],
    )
    def test_what_another_process_raised_comes_first(self, outer, introduction):
        inner = FRAME + "KeyError: 'cubin'\n"
        relayed = inner if introduction is None else introduction + HEAD + inner
        found = chain(HEAD + TORCH_FRAME + outer + relayed)
        assert innermost(found).type_name == "KeyError"
        assert innermost(found).relation is Relation.REMOTE
        assert frames(innermost(found))[-1].function == "main"
        assert found.exceptions[-1].relation is None
        assert not found.headless

    def test_the_exception_before_a_broken_hook(self):
        text = "Error in sys.excepthook:\n" + HEAD + FRAME + "NameError: x\n\nOriginal exception was:\n"
        assert names(chain(text + HEAD + FRAME + "ImportError: no triton\n")) == ["ImportError", "NameError"]


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
        assert found.record.level is Level.WARNING

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


class TestWrapped:
    def test_the_quoted_exception_stands_before_its_wrapper(self):
        found = chain(corpus_text("reports/038-triton-key-lowering-wrapped"))
        assert names(found) == ["ImportError", "LoweringException", "BackendCompilerFailed"]
        assert [exception.relation for exception in found.exceptions] == [Relation.EMBEDDED, Relation.EMBEDDED, None]
        assert [exception.span.line for exception in found.exceptions] == [14, 14, 13]

    def test_a_cause_that_the_wrapper_quotes_again_stands_once(self):
        text = (
            HEAD
            + FRAME
            + "KeyError: 'cubin'\n\nThe above exception was the direct cause of the following exception:\n\n"
            + HEAD
            + TORCH_FRAME
            + "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\nKeyError: 'cubin'\n"
        )
        found = chain(text)
        assert names(found) == ["KeyError", "BackendCompilerFailed"]
        assert frames(innermost(found))[0].function == "main"

    def test_compiler_output_in_a_message_comes_out_too(self):
        text = corpus_text("reports/099-codegen-tmp13-transpose-wrapped-command")
        (diagnostic,) = events_of(CompilerDiagnostic, text)
        assert "tmp13" in diagnostic.message
        (command,) = events_of(CompilerInvocation, text)
        assert command.program == "g++"
        assert names(chain(text)) == ["CppCompileError", "InductorError"]
        assert "tmp13" in innermost(chain(text)).message

    def test_a_failed_command_is_an_invocation(self):
        failed = "Command '['/usr/bin/gcc', 'main.c', '-lcuda']' returned non-zero exit status 1."
        (command,) = events_of(CompilerInvocation, f"{HEAD}{FRAME}subprocess.CalledProcessError: {failed}\n")
        assert (command.program, command.exit_status) == ("/usr/bin/gcc", 1)


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
