from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.by_hand import (
    RANK0,
    RANK1,
    chain,
    diagnosis_of,
    diagnostic,
    exit_of,
    frame,
    header,
    rule,
    span,
    text,
)
from tracelens.events import Event, Level, NinjaBuild, StackFrame
from tracelens.findings import Confidence, Diagnosis, EvidenceRole, Outcome

TRAIN = [StackFrame(path="/home/u/train.py", line=3, function="<module>")]


def unexplained(*events: Event, raw: str = "") -> Diagnosis:
    answer = diagnosis_of(events, rule("said: something else entirely"), raw=raw)
    assert answer.outcome is Outcome.UNEXPLAINED
    assert (answer.label, answer.root_cause, answer.confidence) == (None, None, None)
    assert answer.unexplained is not None
    return answer


def seen(*events: Event) -> str:
    answer = unexplained(*events)
    assert answer.unexplained is not None
    return answer.unexplained.seen


def command(*events: Event) -> str:
    answer = unexplained(*events)
    assert answer.unexplained is not None
    return answer.unexplained.next_command


def test_no_failure_is_clean():
    answer = diagnosis_of([text("all is well", 1)], rule("said: something else"))
    assert (answer.outcome, answer.label, answer.confidence) == (Outcome.CLEAN, "none/clean", Confidence.CERTAIN)
    assert answer.findings == ()


@pytest.mark.parametrize(
    "event",
    [
        chain("ValueError: x", level=Level.WARNING),
        chain("ValueError: x", level=Level.INFO),
        diagnostic("unused variable", 1, "warning"),
        replace(exit_of("exited with code 0", 1), exit_code=0),
    ],
)
def test_what_is_carried_or_mild_or_ended_well_is_no_failure(event):
    assert diagnosis_of([event], rule("said: something else")).outcome is Outcome.CLEAN


def test_the_innermost_exception_that_is_no_wrapper_was_seen():
    wrapped = chain("CalledProcessError: Command 'ninja'", "WeirdError: deep", "InductorError: outer")
    assert seen(wrapped) == "WeirdError: deep"
    assert seen(chain("CalledProcessError: only", "InductorError: outer")) == "CalledProcessError: only"
    assert seen(chain("RuntimeError: Engine core initialization failed")).startswith("RuntimeError: Engine core")


def test_a_traceback_that_tells_comes_before_wrappers_that_stand_earlier():
    events: list[Event] = [
        chain("ChildFailedError: x", line=1),
        chain("WeirdError: deep", line=50),
        exit_of("exit", 90),
    ]
    assert seen(*events) == "WeirdError: deep"


def test_a_dead_pool_of_workers_is_not_what_failed_first():
    events = [chain("ValueError: Cannot submit to a closed pool", line=1), chain("WeirdError: deep", line=50)]
    assert seen(*events) == "WeirdError: deep"


def test_a_traceback_without_its_last_line_says_so():
    assert seen(chain(": ", unfinished=True)) == "a traceback whose last line is missing"


def test_compiler_errors_count_where_nothing_else_failed():
    assert seen(diagnostic("strange thing", 5), diagnostic("more", 6)) == "error: strange thing"
    assert seen(diagnostic("strange thing", 5), chain("WeirdError: deep", line=50)) == "WeirdError: deep"


def test_what_was_seen_is_short_and_one_line():
    found = seen(chain("WeirdError: " + "long\n" * 200))
    assert len(found) == 300
    assert "\n" not in found


def test_the_lines_are_shown():
    raw = "Traceback (most recent call last):\n  File x\nWeirdError: deep"
    answer = unexplained(chain("WeirdError: deep"), raw=raw)
    (evidence,) = answer.evidence
    assert (evidence.text, evidence.span, evidence.role) == ("WeirdError: deep", span(3), EvidenceRole.ROOT)


def test_a_failure_that_a_finding_stands_in_is_explained():
    answer = diagnosis_of([chain("ValueError: x", "RuntimeError: known")], rule("said: known"))
    assert answer.outcome is Outcome.DIAGNOSED


FILTERED = "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"


@pytest.mark.parametrize(
    ("event", "settings"),
    [
        (
            chain("RuntimeError: A process in the process pool was terminated abruptly"),
            "TORCHINDUCTOR_COMPILE_THREADS=1",
        ),
        (chain("ValueError: Cannot submit to a closed pool"), "TORCHINDUCTOR_COMPILE_THREADS=1"),
        (exit_of("Segmentation fault", 1, signal="SIGSEGV"), "python -X faulthandler"),
        (chain("RuntimeError: Error building extension 'x'"), "TORCHINDUCTOR_COMPILE_THREADS=1 MAX_JOBS=1"),
        (chain("RuntimeError: CUDA error: unspecified launch failure"), "CUDA_LAUNCH_BLOCKING=1"),
        (chain("RuntimeError: NCCL communicator was aborted"), "NCCL_DEBUG=INFO"),
        (chain(f"WeirdError: x\n\n{FILTERED}"), "TORCHDYNAMO_VERBOSE=1"),
        (
            chain("WeirdError: x", frames=[frame("/p/torch/_inductor/x.py")]),
            'TORCH_LOGS="+dynamo,+inductor" TORCHDYNAMO_VERBOSE=1',
        ),
        (chain("WeirdError: x"), "TORCH_COMPILE_DISABLE=1"),
    ],
)
def test_the_next_command_fits_what_is_missing(event, settings):
    assert command(event).startswith(settings)
    assert command(event).endswith("your_script.py")


def test_a_log_that_was_cut_asks_for_the_whole_one():
    cut = replace(chain("WeirdError: x", frames=TRAIN), headless=True)
    assert command(cut) == "python train.py > whole.log 2>&1"


def test_a_table_of_torchelastic_asks_for_the_logs_of_every_rank():
    events: list[Event] = [
        text("x", 1, RANK0),
        text("x", 2, RANK1),
        chain("ChildFailedError: train.py FAILED", line=50),
    ]
    assert command(*events) == "torchrun --tee 3 --log-dir logs --nproc-per-node 2 your_script.py"


def test_a_build_whose_errors_are_there_needs_no_other_run_of_the_build():
    events: list[Event] = [diagnostic("strange", 1), chain("RuntimeError: Error building extension 'x'", line=50)]
    assert not command(*events).startswith("TORCHINDUCTOR_COMPILE_THREADS=1 MAX_JOBS=1")


def test_the_command_is_the_users_own():
    assert command(chain("WeirdError: x", frames=TRAIN)) == "TORCH_COMPILE_DISABLE=1 python train.py"
    assert command(replace(exit_of("x", 1, signal="SIGBUS"))) == "python -X faulthandler your_script.py"


def test_windows_sets_variables_its_own_way():
    windows = [frame(r"C:\p\torch\_inductor\x.py")]
    found = command(chain("WeirdError: x", frames=windows))
    assert found == 'set "TORCH_LOGS=+dynamo,+inductor" && set "TORCHDYNAMO_VERBOSE=1" && python your_script.py'


def test_a_ninja_build_without_any_error_asks_for_one():
    stopped = NinjaBuild(span=span(1), message="ninja: build stopped: subcommand failed.", stopped="subcommand failed.")
    events: list[Event] = [stopped, chain("CalledProcessError: Command '['ninja', '-v']'", line=10)]
    assert command(*events).startswith("TORCHINDUCTOR_COMPILE_THREADS=1 MAX_JOBS=1")


def test_errors_logged_by_a_service_are_failures():
    assert seen(replace(chain("WeirdError: x"), record=header(Level.ERROR))) == "WeirdError: x"


@pytest.mark.parametrize("facts", [{"stopped": "subcommand failed"}, {"outputs": ("kernel.o",)}])
def test_build_that_stopped_is_a_failure_even_if_nothing_says_why(facts):
    build = NinjaBuild(span=span(3), process=RANK0, **facts)
    assert seen(build).startswith("ninja: a step of the build failed")
    assert "MAX_JOBS=1" in command(build)


def test_build_with_nothing_to_do_is_clean():
    build = NinjaBuild(span=span(3), process=RANK0, message="no work to do.")
    assert diagnosis_of([build], rule("said: something else")).outcome is Outcome.CLEAN


def test_build_that_never_began_says_why():
    build = NinjaBuild(span=span(3), process=RANK0, message="fatal: chdir to 'x'")
    assert seen(build) == "ninja: fatal: chdir to 'x'"


def test_compiler_that_says_why_is_what_was_seen_of_a_build():
    stopped = NinjaBuild(span=span(4), process=RANK0, stopped="subcommand failed")
    assert "no such thing" in seen(diagnostic("no such thing", 3), stopped)
