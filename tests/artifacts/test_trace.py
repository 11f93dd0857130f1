from __future__ import annotations

import json

import pytest

from tests.artifacts.traces import NO_COMPILER, TRACEBACK, artifact, metrics, read, record, start, trace_input
from tracelens.artifacts import ArtifactReading
from tracelens.events import EnvironmentReport, Event, ExceptionChain, GraphBreak, Level, Recompile, RecompileLimit
from tracelens.timeline import Compilation, CompileStatus, PhaseName, Timeline


def events_of(text, kind):
    events, reading, _ = read(trace_input(text))
    assert reading.remarks == []
    return [event for event in events if isinstance(event, kind)]


def timeline_of(text: str) -> Timeline:
    timeline = read(trace_input(text))[1].timeline
    assert timeline is not None
    return timeline


def compilation_of(text: str) -> Compilation:
    (found,) = timeline_of(text).compilations
    return found


def local(event: Event, reading: ArtifactReading) -> int:
    return reading.documents.place(event.span.line)[1]


def test_phases_do_not_overlap_and_backward_is_added_to_its_forward():
    trace = (
        start()
        + metrics(
            dynamo_cumulative_compile_time_us=10_000_000,
            aot_autograd_cumulative_compile_time_us=9_000_000,
            inductor_cumulative_compile_time_us=7_000_000,
            inductor_code_gen_cumulative_compile_time_us=4_000_000,
        )
        + record("bwd_compilation_metrics", {"duration_us": 500_000}, frame_id=0, frame_compile_id=0)
    )
    found = compilation_of(trace)
    assert [(phase.name, phase.seconds) for phase in found.phases] == [
        (PhaseName.DYNAMO, 1.0),
        (PhaseName.AOT_AUTOGRAD, 2.0),
        (PhaseName.INDUCTOR, 3.0),
        (PhaseName.CODE, 4.0),
        (PhaseName.BACKWARD, 0.5),
    ]
    assert found.seconds == 10.5
    assert (found.function, found.location) == ("step", "/app/train.py:3")
    assert found.status is CompileStatus.COMPILED


def test_seconds_of_torch_2_5_are_read():
    found = compilation_of(start() + metrics(entire_frame_compile_time_s=3.5, backend_compile_time_s=3.0))
    assert [(phase.name.value, phase.seconds) for phase in found.phases] == [("dynamo", 0.5), ("aot_autograd", 3.0)]


def test_configuration_in_a_header_does_not_hide_what_stands_behind_it():
    config = json.dumps({"a": '}", "b": "', "c": {"d": "x" * 6000}})
    found = compilation_of(start() + metrics(dynamo_config=config, inductor_config=config, duration_us=2_000_000))
    assert found.seconds == 2.0


def test_error_is_the_exception_of_its_lines():
    trace = start() + artifact("dynamo_error", TRACEBACK) + metrics(fail_type="InductorError", fail_reason=NO_COMPILER)
    events, reading, _ = read(trace_input(trace))
    (chain,) = (event for event in events if isinstance(event, ExceptionChain))
    assert [exception.type_name for exception in chain.exceptions] == [
        "InvalidCxxCompiler",
        "torch._inductor.exc.InductorError",
    ]
    assert trace.split("\n")[local(chain, reading) - 1].strip() == "Traceback (most recent call last):"
    assert chain.record is not None
    assert chain.record.level is Level.ERROR
    assert compilation_of(trace).status is CompileStatus.FAILED


@pytest.mark.parametrize("behind", ["", start(1), start(1) + metrics(1)])
def test_run_that_compiles_on_after_an_error_went_on(behind):
    trace = start() + artifact("dynamo_error", TRACEBACK) + metrics(fail_type="InductorError", fail_reason="x") + behind
    (chain,) = events_of(trace, ExceptionChain)
    assert chain.record.level is (Level.WARNING if behind else Level.ERROR)


def test_suppressed_error_is_a_warning():
    trace = (
        start()
        + artifact("dynamo_error", TRACEBACK)
        + metrics(fail_type="InductorError", fail_reason="x", config_suppress_errors=True)
    )
    (chain,) = events_of(trace, ExceptionChain)
    assert chain.record.level is Level.WARNING


def test_failure_of_torch_2_5_stands_in_its_metrics():
    (chain,) = events_of(
        start() + metrics(fail_type="BackendCompilerFailed", fail_reason=f"backend='inductor' raised:\n{NO_COMPILER}"),
        ExceptionChain,
    )
    assert chain.exceptions[0].type_name == "InvalidCxxCompiler"
    assert chain.span.line == chain.span.end_line


def test_reasons_of_a_recompile_are_guards_on_their_own_lines():
    reasons = [
        "0/1: tensor 'x' size mismatch at index 1. expected 6, actual 7",
        "0/0: tensor 'x' size mismatch at index 1. expected 5, actual 7",
    ]
    payload = "[\n" + ",\n".join(map(json.dumps, reasons)) + "\n]"
    trace = artifact("recompile_reasons", payload, 0, 2) + start(0, 2) + metrics(0, 2)
    events, reading, _ = read(trace_input(trace))
    (found,) = (event for event in events if isinstance(event, Recompile))
    assert (found.function, found.location) == ("step", "/app/train.py:3")
    assert [(guard.source, guard.dimension, guard.expected) for guard in found.guards] == [("x", 1, "6"), ("x", 1, "5")]
    lines = trace.split("\n")
    assert [
        reasons[number] in lines[reading.documents.place(guard.span.line)[1] - 1]
        for number, guard in enumerate(found.guards)
    ] == [True, True]
    assert reading.timeline is not None
    (group,) = reading.timeline.recompiles
    assert (group.guard_kind, group.subject, group.dimension, group.values) == ("size", "x", 1, ("6", "7"))


def test_recompiles_for_one_reason_are_one_group():
    trace = "".join(
        artifact("recompile_reasons", f"0/0: tensor 'x' size mismatch at index 0. expected {n}, actual {n + 1}", 0, n)
        + metrics(0, n)
        for n in range(1, 6)
    )
    (group,) = timeline_of(trace).recompiles
    assert (group.count, group.compile_ids) == (5, ("0/1", "0/2", "0/3", "0/4", "0/5"))


def test_place_of_a_guard_is_the_line_of_the_user_that_made_it():
    reason = "0/0: n == 2    # return x * n  # app/train.py:18 in step"
    trace = artifact("recompile_reasons", reason, 0, 1) + metrics(0, 1)
    (group,) = timeline_of(trace).recompiles
    assert (group.guard_kind, group.location) == ("int", "app/train.py:18")


def test_limit_on_recompiles_knows_its_guards_and_the_function():
    reason = "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"
    said = "Dynamo recompile limit exceeded\n  ... exceeding the recompile_limit cache size limit (currently set to 4)"
    trace = (
        start() + metrics() + artifact("recompile_reasons", reason, 0, 1)
        + record("compilation_metrics", {"co_name": None, "fail_type": "Unsupported", "fail_reason": said},
                 frame_id=0, frame_compile_id=1)
    )  # fmt: skip
    (limit,) = events_of(trace, RecompileLimit)
    assert (limit.limit, limit.setting, limit.function) == (4, "recompile_limit", "step (/app/train.py:3)")
    assert limit.guards[0].source == "x"
    assert timeline_of(trace).compilations[1].status is CompileStatus.RECOMPILE_LIMIT


BREAK = """\
Graph break in user code at /app/train.py:50
Graph Break Reason: Encountered graph break when attempting to trace CALL:

Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace `print`.
  Hint: Avoid calling `print`.

  Developer debug context: builtin print

 For more details, please visit: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html

User code traceback:
  File "/app/train.py", line 50, in step
    print(x)

Traceback (most recent call last):
  File "/opt/torch/_dynamo/symbolic_convert.py", line 1, in wrapper
torch._dynamo.exc.Unsupported: Failed to trace builtin operator"""


def test_graph_break_has_its_number_its_kind_and_its_place():
    (found,) = events_of(start() + artifact("dynamo_graph_break_reason", BREAK) + metrics(), GraphBreak)
    assert (found.gb_id, found.gb_type, found.location) == (
        "GB0059",
        "Failed to trace builtin operator",
        "/app/train.py:50",
    )
    assert found.hints == ("Avoid calling `print`.",)
    assert "symbolic_convert" not in found.message


def test_equal_graph_breaks_are_one_group():
    trace = "".join(artifact("dynamo_graph_break_reason", BREAK, n) + metrics(n) for n in range(3))
    (group,) = timeline_of(trace).graph_breaks
    assert (group.gb_id, group.count, group.compile_ids) == ("GB0059", 3, ("0/0", "1/0", "2/0"))


def test_frame_that_is_given_up_after_its_metrics_is_skipped_and_no_failure():
    skip = (
        "Graph break: torch.compile cannot properly resume from this graph break, which results in a skip.\n"
        'The graph break occurred in the following user code:\n  File "/app/train.py", line 9, in step\n'
    )
    trace = (
        start() + artifact("dynamo_error", TRACEBACK) + metrics(fail_type="Unsupported", fail_reason="x")
        + artifact("dynamo_graph_break_reason", skip)
    )  # fmt: skip
    assert events_of(trace, ExceptionChain) == []
    found = compilation_of(trace)
    assert (found.status, found.graph_breaks) == (CompileStatus.SKIPPED, 1)


def test_caches_are_counted_with_what_they_saved_and_why_they_were_passed_by():
    trace = (
        start()
        + artifact("fx_graph_cache_miss", json.dumps({"key": "k", "components": ["x" * 5000]}))
        + artifact("aotautograd_cache_hit", json.dumps({"time_saved_ms": 1500.0}))
        + artifact("fx_graph_cache_bypass", json.dumps({"cache_bypass_reason": "Unsupported _fuse_ddp pass"}))
        + metrics()
    )
    fx, aot = timeline_of(trace).caches
    assert (fx.cache, fx.hits, fx.misses, fx.bypasses, fx.bypass_reasons) == (
        "fx_graph", 0, 1, 1, ("Unsupported _fuse_ddp pass",)
    )  # fmt: skip
    assert (aot.cache, aot.hits, aot.saved_seconds) == ("aotautograd", 1, 1.5)


def test_compilation_that_never_ended_names_its_step():
    def event(name: str, kind: str) -> str:
        payload = f'{{\n"name": "{name}",\n"ts": 1.0,\n"args": {{\n"compile_id": "0/0"\n}},\n"ph": "{kind}"\n}}'
        return record("chromium_event", {}, payload, frame_id=0, frame_compile_id=0)

    trace = (
        record("str", ["/app/train.py", 1]) + start() + event("dynamo", "B") + event("tracing", "B")
        + event("tracing", "E") + event("compile_file", "B")
    )  # fmt: skip
    found = compilation_of(trace)
    assert (found.status, found.ended_in) == (CompileStatus.UNFINISHED, "compile_file")
    assert (found.function, found.location) == ("step", "/app/train.py:3")


def test_versions_are_facts_of_the_machine():
    trace = metrics(
        pytorch_version="2.13.0+cpu", python_version="3.11.7 (main) [GCC]", triton_version="", cuda_version=None
    )
    (report,) = events_of(trace, EnvironmentReport)
    assert report.facts == (("torch", "2.13.0+cpu"), ("python", "3.11.7"))


def test_ranks_are_processes():
    trace = artifact("recompile_reasons", "0/0: n == 2", 0, 1) + metrics(0, 1)
    inputs = [trace_input(trace, f"t/dedicated_log_torch_trace_rank_{rank}_x.log") for rank in range(2)]
    events, reading, _ = read(*inputs)
    assert [event.process.rank for event in events if isinstance(event, Recompile) and event.process] == [0, 1]
    assert reading.timeline is not None
    assert [item.process for item in reading.timeline.compilations] == ["rank 0", "rank 1"]


def test_processes_without_a_rank_are_told_apart_by_their_number():
    inputs = [trace_input(metrics(), f"t/dedicated_log_torch_trace_{name}.log") for name in "ab"]
    timeline = read(*inputs)[1].timeline
    assert timeline is not None
    assert {item.process for item in timeline.compilations} == {"pid 7"}
