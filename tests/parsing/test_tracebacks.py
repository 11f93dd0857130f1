"""Tracebacks as Python prints them: plain, chained, relayed from other processes, wrapped by torch."""

from __future__ import annotations

import concurrent.futures
import sys
import traceback

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
    CompilerDiagnostic,
    CompilerInvocation,
    Elision,
    ExceptionChain,
    Owner,
    Relation,
    Text,
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


def test_what_nccl_tells_of_its_result_goes_on_with_the_message():
    told = "ncclInternalError: Internal check failed.\nLast error:\nBootstrap : no socket interface found\n"
    found = chain(HEAD + FRAME + f"torch.distributed.DistBackendError: NCCL error in: a.cpp:1, internal error\n{told}")
    assert names(found) == ["DistBackendError"]
    assert innermost(found).message.endswith("no socket interface found")
