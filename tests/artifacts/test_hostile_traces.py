"""Traces that are broken, cut, mixed up or made to hurt: no exception, bounded time and memory."""

from __future__ import annotations

import json
import random
import resource

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.artifacts.traces import TRACEBACK, artifact, metrics, read, record, start, trace_input
from tests.command import COMMAND, CORPUS, run_command, run_tracelens
from tests.test_hostile import live_sequences
from tracelens.artifacts.records import TraceReader

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from((
    "co_name", "co_filename", "co_firstlineno", "fail_type", "fail_reason", "exception_stack_trace", "start_time",
    "dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s", "inductor_compile_time_s", "code_gen_time_s",
    "pytorch_version", "python_version", "config_suppress_errors", "duration_us",
))  # fmt: skip
NAMES = st.sampled_from((
    "recompile_reasons", "dynamo_error", "dynamo_graph_break_reason", "torch_version", "fx_graph_runnable",
    "fx_graph_cache_hit", "fx_graph_cache_bypass", "aotautograd_cache_miss",
))  # fmt: skip


@given(st.dictionaries(KEYS, ODD), ODD, ODD)
def test_metrics_may_hold_anything(fields, frame, again):
    read(trace_input(start() + record("compilation_metrics", fields, frame_id=frame, frame_compile_id=again)))
    read(trace_input(start() + record("compilation_metrics", fields, frame_id=0, frame_compile_id=0)))


@given(NAMES, st.text(max_size=200), ODD)
def test_artifacts_may_hold_anything(name, payload, odd):
    read(trace_input(start() + artifact(name, payload) + artifact(name, json.dumps(odd)) + metrics()))


@given(ODD)
def test_stacks_and_names_may_hold_anything(odd):
    read(trace_input(record("str", odd) + record("dynamo_start", odd, frame_id=0, frame_compile_id=0, attempt=odd)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_real_trace_with_lines_lost_doubled_and_mixed_up_is_read(seed):
    choice = random.Random(seed)
    path = choice.choice(sorted((CORPUS / "artifacts").glob("*/torch-trace-failed/*.log")))
    lines = path.read_bytes().splitlines(keepends=True)
    for _ in range(choice.randrange(1, 30)):
        where = choice.randrange(len(lines))
        match choice.randrange(4):
            case 0:
                del lines[where : where + choice.randrange(1, 40)]
            case 1:
                lines[where:where] = lines[choice.randrange(len(lines)) :][:20]
            case 2:
                lines[where] = lines[where][: choice.randrange(len(lines[where]) + 1)]
            case _:
                lines[where] = choice.randbytes(choice.randrange(60))
        lines = lines or [b"\n"]
    content = b"".join(lines)[: choice.randrange(1, 10**6)]
    _, reading, _ = read(trace_input(content))
    assert reading.lines == content.count(b"\n") + (0 if reading.timeline else 1)


BOMBS = {
    "a header of 8 MB": record("compilation_metrics", {"co_name": "x" * 8_000_000}, frame_id=0, frame_compile_id=0),
    "100,000 brackets": f'V1201 02:50:30.444 7 torch/a.py:1] {{"compilation_metrics": {{"a": {"[" * 100_000}\n',
    "a number of 100,000 digits": metrics(start_time=0).replace('"start_time": 0', f'"start_time": {"9" * 100_000}'),
    "infinite seconds": metrics(duration_us=float("inf"), start_time=float("nan")),
    "20,000 compilations": "".join(start(n) + metrics(n, duration_us=5) for n in range(20_000)),
    "20,000 that never end": "".join(start(n) for n in range(20_000)),
    "5,000 reasons": "".join(
        artifact("recompile_reasons", f"0/0: L['a{n}'] == {n}", n, 1) + metrics(n, 1) for n in range(5000)
    ),
    "a payload of 60 MB": record("inductor_output_code", {}, "\n".join(["x" * 99] * 600_000)) + start() + metrics(),
    "2,000 different errors": "".join(
        start(n) + artifact("dynamo_error", TRACEBACK.replace("g++", f"g{n}"), n)
        + metrics(n, fail_type="InductorError", fail_reason=f"{n}") for n in range(2000)
    ),
    "escape sequences": start() + metrics(co_name="\x1b[31m\u202e", fail_type="\x1b]0;x\x07", fail_reason="##[error]"),
    "markup": artifact("recompile_reasons", "0/0: L['[red]'] == '[/x]'", 0, 1) + metrics(0, 1, co_name="[bold]"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "form"), [*((name, "terminal") for name in BOMBS), ("escape sequences", "json"), ("markup", "json")]
)
def test_trace_made_to_hurt_is_read_in_bounded_time(name, form, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_text(BOMBS[name])
    run = run_tracelens("analyze", "--format", form, path)
    assert run.code in (0, 1), run.errors
    assert run.errors == ""
    assert run.cpu_seconds < 15
    assert not live_sequences(run.output.decode(errors="replace"))


def test_long_trace_takes_no_more_memory_than_a_short_one(tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    part = (CORPUS / "artifacts/2.13.0/torch-trace-recompiles/dedicated_log_torch_trace_recompiles.log").read_bytes()
    with path.open("wb") as file:
        for _ in range(120):
            file.write(part)
    script = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    run = run_command("python3", "-c", script, COMMAND, "analyze", "--format", "json", str(path))
    assert int(run.output) < 96 * 1024


def test_reader_holds_no_more_than_its_buffer():
    class Endless:
        left = 400 << 20

        def readinto(self, view: memoryview, /) -> int:
            count = min(len(view), self.left)
            view[:count] = b"x" * count
            self.left -= count
            return count

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader = TraceReader(Endless())
    assert list(reader.records()) == []
    assert reader.cut == 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
