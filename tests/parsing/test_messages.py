"""Log records and what torch.compile says in them, in the wording of every release."""

from __future__ import annotations

import pytest

from tests.parsing.strand import corpus_text, events_of, parsed
from tracelens.events import (
    ArtifactPath,
    AutotuneFailure,
    CacheMessage,
    CudagraphSkip,
    EnvironmentReport,
    ExceptionChain,
    GraphBreak,
    GraphText,
    GuardKind,
    Level,
    LogRecord,
    ProcessExit,
    Recompile,
    RecompileLimit,
    Text,
)

GLOG = "{level}1201 02:32:22.933000 14785 torch/_dynamo/{place}.py:1994] [0/8] {artifact}"


def record(message: str, *, level: str = "W", place: str = "convert_frame", artifact: str = "") -> str:
    """Return a message as torch's own logging prints it: with the header on every line."""
    header = GLOG.format(level=level, place=place, artifact=f"[__{artifact}] " if artifact else "")
    return "".join(f"{header}{line}\n" for line in message.split("\n"))


class TestRecompiles:
    RECOMPILE = (
        "Recompiling function forward in /workspace/seqlen.py:15\n    triggered by the following guard failure(s):\n"
        "    - 0/7: tensor 'x' size mismatch at index 1. expected 37, actual 40"
    )
    LIMIT = (
        "torch._dynamo hit config.recompile_limit (8)\n   function: 'forward' (/workspace/seqlen.py:15)\n"
        "   last reason: 0/7: tensor 'x' size mismatch at index 1. expected 37, actual 40\n"
        'To log all recompilation reasons, use TORCH_LOGS="recompiles".\n'
        "To diagnose recompilation issues, see https://pytorch.org/docs/main/torch.compiler_troubleshooting.html"
    )

    @pytest.mark.parametrize(
        "wrap", [lambda text: record(text, level="V", artifact="recompiles"), lambda text: text + "\n"]
    )
    def test_a_recompile_with_and_without_a_header(self, wrap):
        (event,) = events_of(Recompile, wrap(self.RECOMPILE))
        assert (event.function, event.location) == ("forward", "/workspace/seqlen.py:15")
        assert [guard.kind for guard in event.guards] == [GuardKind.SIZE]
        assert event.guards[0].span.line == 3

    @pytest.mark.parametrize("wrap", [record, lambda text: text + "\n"])
    def test_a_limit_with_and_without_a_header(self, wrap):
        (event,) = events_of(RecompileLimit, wrap(self.LIMIT))
        assert (event.limit, event.setting) == (8, "recompile_limit")
        assert event.function is not None
        assert event.span.end_line == 5
        assert events_of(Text, wrap(self.LIMIT)) == []

    def test_many_recompiles_of_one_millisecond(self):
        text = record(self.RECOMPILE + "\n" + self.RECOMPILE, level="V", artifact="recompiles")
        assert [event.span.line for event in events_of(Recompile, text)] == [1, 4]

    def test_a_header_on_the_first_line_only(self):
        events = events_of(RecompileLimit, corpus_text("reports/085-cache-limit-kwargs-and-objid"))
        assert [event.setting for event in events] == ["cache_size_limit"] * 3
        assert [len(event.guards) for event in events] == [1, 1, 1]
        assert [event.record.level for event in events if event.record] == [Level.WARNING] * 3

    def test_a_header_that_was_cut(self):
        text = corpus_text("reports/208-recompile-layer-idx-resume-function")
        assert len(events_of(Recompile, text)) == 1
        assert len(events_of(RecompileLimit, text)) == 1

    def test_a_recompile_without_a_place_stays_text(self):
        assert [event.message for event in events_of(Text, "Recompiling function x\n")] == ["Recompiling function x"]

    def test_a_whole_run(self):
        text = corpus_text("lab/2.13.0/seq-static-logs")
        assert len(events_of(Recompile, text)) == 8
        assert len(events_of(RecompileLimit, text)) == 1


BREAK_2_1 = 'Graph break: from user code at:\n  File "/workspace/dd.py", line 8, in f\n    k = n.item()'
BREAK_2_6 = """\
Graph break in user code at /workspace/outside.py:6
Reason: Unsupported: builtin: print
User code traceback:
  File "/workspace/outside.py", line 6, in f
    print(x)"""
BREAK_2_8 = """\
Graph break in user code at /workspace/outside.py:6
Graph Break Reason: Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`
  Hint: Avoid it.
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print

User code traceback:
  File "/workspace/outside.py", line 6, in f
    print(x)
"""
BREAK_WITH_TRACEBACK = f"""\
{BREAK_2_1}
Traceback (most recent call last):
  File "/torch/_dynamo/symbolic_convert.py", line 1, in step
    x()
torch._dynamo.exc.Unsupported: Tensor.item"""


class TestGraphBreaks:
    @pytest.mark.parametrize(
        ("message", "gb_type"),
        [
            ("Graph break: call_function print from user code at /workspace/dd.py:8", "call_function print"),
            (BREAK_2_1, None),
            (BREAK_WITH_TRACEBACK, "Tensor.item"),
            (BREAK_2_6, "builtin: print"),
            (BREAK_2_8, "Failed to trace builtin operator"),
        ],
    )
    def test_every_era(self, message, gb_type):
        text = record(message, level="V", place="symbolic_convert", artifact="graph_breaks")
        (event,) = events_of(GraphBreak, text)
        assert event.gb_type == gb_type
        assert event.message == message.rstrip()
        assert len(parsed(text).events) == 1

    def test_the_fields(self):
        message = (
            "Graph break in user code at a.py:6\nGraph Break Reason: Failed to trace\n  Explanation: no\n  Hint: one\n"
            "  Hint: two\n\n  Developer debug context: builtin print\n"
        )
        (event,) = events_of(GraphBreak, record(message, artifact="graph_breaks"))
        assert (event.explanation, event.hints, event.context) == ("no", ("one", "two"), "builtin print")

    def test_without_a_header(self):
        text = BREAK_2_6 + "\n\nstep 1\n"
        assert len(events_of(GraphBreak, text)) == 1
        assert events_of(ExceptionChain, text) == []
        assert [event.message for event in events_of(Text, text)] == ["step 1"]


class TestInductor:
    def test_skipped_cudagraphs(self):
        (event,) = events_of(CudagraphSkip, corpus_text("lab/2.11.0-cuda/mutation-cpu"))
        assert event.reason.startswith("mutated inputs (1 instances)")
        assert "cg_mutation.py" in event.reason
        assert not event.rerecord

    def test_cudagraphs_that_are_recorded_again(self):
        (event,) = events_of(CudagraphSkip, corpus_text("lab/2.11.0-cuda/linear-rerecord"))
        assert event.rerecord

    @pytest.mark.parametrize(
        "reason", ["input mutation", "multiple devices", "cpu device (primals_1)", "non-cuda device in graph"]
    )
    def test_skipped_cudagraphs_without_a_header(self, reason):
        (event,) = events_of(CudagraphSkip, f"skipping cudagraphs due to {reason}\n")
        assert event.reason == reason

    def test_a_cache_entry_that_cannot_be_read(self):
        text = corpus_text("lab/2.13.0/fxgraph-half")
        assert [event.message for event in events_of(CacheMessage, text)] == [
            "fx graph cache unable to load compiled graph"
        ] * 2
        chains = events_of(ExceptionChain, text)
        assert [found.exceptions[0].type_name for found in chains] == ["_pickle.UnpicklingError"] * 2
        assert all(found.record and found.record.level is Level.WARNING for found in chains)

    @pytest.mark.parametrize(
        ("message", "kind", "path"),
        [
            (
                "Writing minified repro to:\n/scratch/minifier_launcher.py",
                "writing minified repro to",
                "/scratch/minifier_launcher.py",
            ),
            (
                "model__0_inference_0 debug trace: /scratch/torch_compile_debug/run_1",
                "debug trace",
                "/scratch/torch_compile_debug/run_1",
            ),
            (
                "Output code written to: /x/torchinductor_u/ab/c.py",
                "output code written to",
                "/x/torchinductor_u/ab/c.py",
            ),
            (
                "Writing checkpoint with 3 nodes to /x/checkpoints/3.py",
                "writing checkpoint with 3 nodes to",
                "/x/checkpoints/3.py",
            ),
        ],
    )
    @pytest.mark.parametrize("wrap", [record, lambda text: text + "\n"])
    def test_paths_for_later(self, message, kind, path, wrap):
        text = wrap(message)
        (event,) = events_of(ArtifactPath, text)
        assert (event.kind, event.path) == (kind, path)
        said = [event.message for event in parsed(text).events if isinstance(event, (Text, LogRecord))]
        assert "\n".join(said) == message

    def test_printed_graphs(self):
        graphs = events_of(GraphText, corpus_text("lab/2.5.1/mlp-artifacts"))
        assert {graph.kind for graph in graphs} >= {"graph_code", "aot_graphs", "output_code"}
        assert any(graph.name == "__compiled_fn_1" for graph in graphs)
        assert all("V1201" not in graph.code for graph in graphs)

    def test_a_graph_without_a_header(self):
        (graph,) = events_of(
            GraphText, "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n\n        return x\n"
        )
        assert (graph.kind, graph.name) == ("graph", "GraphModule")
        assert graph.code.endswith("return x")

    def test_a_successful_search_leaves_no_failure(self):
        events = parsed(corpus_text("lab/2.11.0-cuda/bench")).events
        assert not [event for event in events if isinstance(event, ExceptionChain)]

    @pytest.mark.parametrize(
        "message",
        [
            "Runtime error during autotuning: \nno kernel image. \nIgnoring this choice.",
            "CUDA compilation error during autotuning: \nptxas fatal   : x. \nIgnoring this choice.",
            "Failed to benchmark choice 'triton_mm_3'. It will be ignored. Please debug the root cause in case",
            "Exception out of resource for benchmark choice TritonTemplateCaller(a.py, BLOCK_M=64)",
        ],
    )
    @pytest.mark.parametrize("wrap", [lambda text: record(text, level="E"), lambda text: text + "\n"])
    def test_dropped_choices(self, message, wrap):
        (event,) = events_of(AutotuneFailure, wrap(message))
        assert event.message == message


class TestRecords:
    def test_lines_under_one_header_are_one_record(self):
        (event,) = events_of(LogRecord, record("first\n  second\n\nthird", level="I"))
        assert event.message == "first\n  second\n\nthird"

    def test_the_header_is_read(self):
        (event,) = events_of(LogRecord, record("text", level="E", artifact="fusion"))
        assert event.record is not None
        assert (event.record.level, event.record.artifact) == (Level.ERROR, "fusion")
        assert event.record.compile_id is not None

    def test_a_warning_of_python_takes_its_source_line(self):
        (event,) = events_of(LogRecord, "/opt/x.py:12: UserWarning: Can't find Python.h\n  warnings.warn(msg)\n")
        assert event.record is not None
        assert (event.record.level, event.record.location) == (Level.WARNING, "/opt/x.py:12")
        assert event.message == "UserWarning: Can't find Python.h"
        assert event.span.end_line == 2

    def test_message_that_begins_with_a_newline_is_not_taken_for_the_source_line(self):
        (event,) = events_of(
            LogRecord, "/opt/x.py:12: UserWarning: \n    Found GPU0 which is old.\n  warnings.warn(msg)\n"
        )
        assert event.message == "UserWarning: Found GPU0 which is old."

    def test_a_diagnostic_under_a_header_is_a_diagnostic(self):
        events = parsed(
            "ERROR 01-28 17:37:45 [core.py:866] /x/main.c:5:10: fatal error: Python.h: No such file\n"
        ).events
        assert [type(event).__name__ for event in events] == ["CompilerDiagnostic"]
        assert events[0].record is not None

    def test_what_is_indented_below_a_first_line_is_its_message(self):
        header = "[W1221 22:40:11.155587004 OperatorEntry.cpp:155] "
        text = header + "Warning: once\n  Overriding a kernel\n    operator: x\nnext\n"
        (event,) = events_of(LogRecord, text)
        assert event.message == "Warning: once\n  Overriding a kernel\n    operator: x"
        assert [line.message for line in events_of(Text, text)] == ["next"]

    def test_chatter_is_kept_as_it_is(self):
        message = "GUARDS:\n\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- DEFAULT_DEVICE"
        (event,) = events_of(LogRecord, record(message, level="V", artifact="guards"))
        assert event.message == message

    def test_a_name_alone_in_a_record_is_no_exception(self):
        assert events_of(ExceptionChain, record("CompilerError", level="E")) == []


class TestTheRest:
    def test_facts_stay_readable(self):
        text = "PyTorch version: 2.5.1+cu124\n"
        (event,) = events_of(EnvironmentReport, text)
        assert ("torch", "2.5.1+cu124") in event.facts
        assert [line.message for line in events_of(Text, text)] == ["PyTorch version: 2.5.1+cu124"]

    def test_an_exit(self):
        (event,) = events_of(ProcessExit, "/bin/bash: line 1: 25356 Bus error               python mlp.py\n")
        assert (event.signal, event.pid) == ("SIGBUS", 25356)

    def test_a_dump_of_stacks_is_no_traceback(self):
        text = corpus_text("lab/2.13.0/so-15pct-faulthandler")
        assert events_of(ExceptionChain, text) == []
        assert [event.signal for event in events_of(ProcessExit, text)] == ["SIGBUS", "SIGBUS"]
        assert any("_load_library_inner" in event.message for event in events_of(Text, text))

    def test_a_line_of_the_short_summary_stays_readable(self):
        line = "FAILED test_a.py::test_x - torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:"
        assert [event.message for event in events_of(Text, line + "\n")] == [line]
