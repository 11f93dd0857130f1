from __future__ import annotations

import pytest

from tests.engine.by_hand import chain, diagnosis_of, diagnostic, frame, log_of, record, rule, span
from tracelens.engine.pipeline import read_pipeline, stage_of
from tracelens.events import Event, GraphText, Level, NinjaBuild
from tracelens.findings import Severity, Stage, StageStatus

DYNAMO = frame("/p/torch/_dynamo/convert_frame.py")
AOT = frame("/p/torch/_functorch/aot_autograd.py")
INDUCTOR = frame("/p/torch/_inductor/graph.py")
ISA = frame(r"C:\p\torch\_inductor\cpu_vec_isa.py")
TRITON = frame("/p/triton/compiler/compiler.py")
USER = frame("/home/u/train.py")

PASSED, FAILED, NOT_REACHED, UNKNOWN = "passed", "failed", "not reached", "unknown"


def statuses(failed: Stage | None, severity: Severity | None, *events: Event) -> list[str]:
    pipeline = read_pipeline(log_of(*events), failed, severity)
    assert [stage.stage for stage in pipeline] == list(Stage)
    return [stage.status.value for stage in pipeline]


@pytest.mark.parametrize(
    ("frames", "failed", "expected"),
    [
        ([USER], Stage.RUNTIME, [UNKNOWN] * 6 + [FAILED]),
        (
            [USER, DYNAMO],
            Stage.DYNAMO,
            [FAILED, NOT_REACHED, NOT_REACHED, NOT_REACHED, NOT_REACHED, UNKNOWN, NOT_REACHED],
        ),
        (
            [DYNAMO, AOT, INDUCTOR],
            Stage.INDUCTOR,
            [PASSED, PASSED, FAILED, NOT_REACHED, NOT_REACHED, UNKNOWN, NOT_REACHED],
        ),
        (
            [DYNAMO, AOT, INDUCTOR, TRITON],
            Stage.TRITON,
            [PASSED, PASSED, PASSED, FAILED, UNKNOWN, UNKNOWN, NOT_REACHED],
        ),
        ([DYNAMO, AOT, INDUCTOR], Stage.CPP, [PASSED, PASSED, PASSED, UNKNOWN, FAILED, UNKNOWN, NOT_REACHED]),
        ([USER, TRITON], Stage.TRITON, [UNKNOWN, UNKNOWN, UNKNOWN, FAILED, UNKNOWN, UNKNOWN, NOT_REACHED]),
        ([USER], Stage.NINJA, [UNKNOWN] * 5 + [FAILED, UNKNOWN]),
    ],
)
def test_a_stage_is_passed_only_where_the_log_shows_it(frames, failed, expected):
    assert statuses(failed, Severity.FATAL, chain("ValueError: x", frames=frames)) == expected


def test_what_only_degraded_the_run_stops_nothing():
    found = statuses(Stage.DYNAMO, Severity.DEGRADED, chain("ValueError: x", frames=[DYNAMO]))
    assert found == [FAILED] + [UNKNOWN] * 6


def test_a_clean_log_shows_the_stages_it_printed_something_of():
    events: list[Event] = [
        record("compiled", 1, Level.INFO),
        GraphText(span=span(2), kind="aot_graphs", name="g", code="x"),
        NinjaBuild(span=span(3), message="[1/1]"),
    ]
    assert statuses(None, None, *events) == [PASSED, PASSED, UNKNOWN, UNKNOWN, UNKNOWN, PASSED, UNKNOWN]
    assert statuses(None, None) == [UNKNOWN] * 7


@pytest.mark.parametrize(
    ("frames", "stage"),
    [
        ([USER, DYNAMO, AOT, INDUCTOR], Stage.INDUCTOR),
        ([DYNAMO, INDUCTOR, TRITON], Stage.TRITON),
        ([DYNAMO, INDUCTOR, ISA], Stage.CPP),
        ([frame("/p/torch/utils/cpp_extension.py")], Stage.NINJA),
        ([USER], None),
        ([], None),
    ],
)
def test_the_deepest_frames_say_the_stage(frames, stage):
    assert stage_of(log_of(chain("ValueError: x", frames=frames)), 0) is stage


@pytest.mark.parametrize(
    ("path", "stage"),
    [
        ("/scratch/tmp1a2b/main.c", Stage.TRITON),
        ("/scratch/torchinductor_u/ab/cab2p4yzy5zq3tj5mkznw6onmc5t54d3ocbrezhzzy3gpmb4zlsd.main.cpp", Stage.CPP),
        ("/home/u/ext/rng.cu", Stage.NINJA),
        (None, None),
    ],
)
def test_the_file_that_does_not_compile_says_whose_it_is(path, stage):
    assert stage_of(log_of(diagnostic("no such header", 1, path=path)), 0) is stage


def test_other_events_stand_in_no_stage():
    assert stage_of(log_of(record("x", 1)), 0) is None


def test_a_rule_without_a_stage_takes_it_from_the_traceback():
    answer = diagnosis_of([chain("ValueError: x", frames=[DYNAMO, INDUCTOR])], rule("exception: {type: ValueError}"))
    assert answer.findings[0].stage is Stage.INDUCTOR
    assert answer.pipeline[2].status is StageStatus.FAILED
