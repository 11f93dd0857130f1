"""What happened to the run decides, not what the text sounds like."""

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
    record,
    rule,
    span,
    text,
)
from tracelens.api import analyze_text
from tracelens.events import AutotuneFailure, Level, Owner
from tracelens.findings import Confidence, Outcome, Severity

NO_COMPILER = rule("said: No working compiler")
HARMLESS = {"code": "TL001", "label": "none/clean"}


def severity_of(*events, rules=(NO_COMPILER,)) -> Severity:
    return next(finding for finding in diagnosis_of(events, *rules).findings if finding.code == "TL101").severity


@pytest.mark.parametrize(
    ("level", "severity"),
    [
        (None, Severity.FATAL),
        (Level.CRITICAL, Severity.FATAL),
        (Level.ERROR, Severity.FATAL),
        (Level.UNKNOWN, Severity.FATAL),
        (Level.WARNING, Severity.DEGRADED),
        (Level.INFO, Severity.HANDLED),
        (Level.DEBUG, Severity.HANDLED),
    ],
)
def test_the_record_that_carries_a_traceback_lowers_it(level, severity):
    assert severity_of(chain("RuntimeError: No working compiler", level=level)) is severity


def test_a_rule_may_keep_its_severity_whatever_carries_it():
    keeper = rule("said: No working compiler", more="carrier: keep")
    assert severity_of(chain("RuntimeError: No working compiler", level=Level.INFO), rules=(keeper,)) is Severity.FATAL


def test_a_carrier_never_makes_a_finding_worse():
    mild = rule("said: No working compiler", more="severity: handled")
    assert severity_of(record("No working compiler", 1), rules=(mild,)) is Severity.HANDLED


def test_what_stands_inside_a_carried_traceback_is_carried_too():
    carried = chain("CppCompileError: a\nNo working compiler\nb", line=1, level=Level.WARNING)
    assert severity_of(carried, diagnostic("No working compiler", 4)) is Severity.DEGRADED
    assert severity_of(carried, diagnostic("No working compiler", 90)) is Severity.FATAL


def test_what_autotuning_dropped_is_handled():
    dropped = AutotuneFailure(span=span(1, 30), choice="triton_mm", message="Ignoring this choice")
    failed = chain("OutOfResources: No working compiler", line=5)
    assert severity_of(dropped, failed) is Severity.HANDLED
    assert severity_of(dropped, replace(failed, process=RANK1)) is Severity.FATAL
    assert diagnosis_of([dropped, failed]).outcome is Outcome.CLEAN


def test_a_rule_for_what_is_harmless_lowers_its_neighbourhood():
    ignoring = rule("said: Ignoring", **HARMLESS, more="handles: {as: handled, before: 20, after: 5}")
    events = chain("RuntimeError: No working compiler", line=10), text("Ignoring it", 25)
    assert severity_of(*events, rules=(NO_COMPILER, ignoring)) is Severity.HANDLED
    assert severity_of(events[0], text("Ignoring it", 60), rules=(NO_COMPILER, ignoring)) is Severity.FATAL
    assert severity_of(events[0], text("Ignoring it", 25, RANK0), rules=(NO_COMPILER, ignoring)) is Severity.FATAL
    softer = rule("said: Ignoring", **HARMLESS, more="handles: {as: degraded, before: 20}")
    assert severity_of(*events, rules=(NO_COMPILER, softer)) is Severity.DEGRADED


def test_a_neighbourhood_may_excuse_only_what_it_names():
    only = "handles: {as: handled, before: 20, after: 20, only: 'ModuleNotFoundError: .*triton'}"
    hint = rule("said: A matching Triton", **HARMLESS, more=only)
    noise = chain("ModuleNotFoundError: No module named 'triton'", line=2)
    true = chain("RuntimeError: No working compiler", line=8)
    answer = diagnosis_of([text("A matching Triton is not available", 1), noise, true], NO_COMPILER, hint)
    assert answer.findings[0].severity is Severity.FATAL
    assert (
        diagnosis_of([text("A matching Triton is not available", 1), noise], NO_COMPILER, hint).outcome is Outcome.CLEAN
    )


def test_a_harmless_line_excuses_no_exception_whose_message_took_it_in():
    notice = rule("said: A matching Triton", **HARMLESS, more="handles: {as: handled}")
    swallowed = chain("RuntimeError: No working compiler\nA matching Triton is not available", line=10)
    said_of_it = chain("RuntimeError: No working compiler, A matching Triton is not available", line=10)
    assert severity_of(swallowed, rules=(NO_COMPILER, notice)) is Severity.FATAL
    assert severity_of(said_of_it, rules=(NO_COMPILER, notice)) is Severity.HANDLED


def test_a_neighbourhood_excuses_nothing_that_it_rules_out():
    unless = "handles: {as: handled, before: 20, unless: 'BackendCompilerFailed|of all'}"
    dropped, ended = rule("said: Ignoring", **HARMLESS, more=unless), text("Ignoring it", 25)
    said = "RuntimeError: No working compiler", "BackendCompilerFailed: No working compiler", "RuntimeError: of all"
    severities = [
        severity_of(chain(each, line=10), ended, rules=(rule("said: working|of all"), dropped)) for each in said
    ]
    assert severities == [Severity.HANDLED, Severity.FATAL, Severity.FATAL]


def test_what_failed_before_tests_began_is_not_excused_by_their_success():
    since = "handles: {as: handled, before: 100, since: ['session starts', '^[.]+$']}"
    passed = rule("said: 3 passed", **HARMLESS, more=since)
    failed, ended = chain("RuntimeError: No working compiler", line=10), text("3 passed", 50)
    rules = NO_COMPILER, passed
    assert severity_of(failed, ended, rules=rules) is Severity.HANDLED
    assert severity_of(failed, text("session starts", 8), ended, rules=rules) is Severity.HANDLED
    assert severity_of(failed, text("session starts", 30), ended, rules=rules) is Severity.FATAL
    assert severity_of(failed, text("...", 30), ended, rules=rules) is Severity.FATAL
    # The first of the ways to tell counts, and only what the same process printed.
    assert severity_of(failed, text("session starts", 8), text("...", 30), ended, rules=rules) is Severity.HANDLED
    assert severity_of(failed, text("session starts", 30, RANK0), ended, rules=rules) is Severity.HANDLED


def test_tests_that_began_nobody_saw_where_excuse_no_program_that_ended_before_them():
    since = "handles: {as: handled, before: 100, since: ['session starts']}"
    rules, ended = (NO_COMPILER, rule("said: 3 passed", **HARMLESS, more=since)), text("3 passed", 50)
    said = "RuntimeError: No working compiler"
    module = frame("/w/train.py", Owner.USER, "<module>")
    assert severity_of(chain(said, line=10, frames=[module]), ended, rules=rules) is Severity.FATAL
    # What a test printed began within a test, or was logged.
    within = frame("/w/test_x.py", Owner.USER, "test_x")
    assert severity_of(chain(said, line=10, frames=[within]), ended, rules=rules) is Severity.HANDLED
    logged = chain(said, line=10, frames=[module], level=Level.ERROR)
    assert severity_of(logged, ended, rules=rules) is Severity.HANDLED


def test_a_start_that_the_message_before_took_in_is_seen():
    since = "handles: {as: handled, before: 100, since: ['session starts']}"
    passed = rule("said: 3 passed", **HARMLESS, more=since)
    failed = chain("RuntimeError: No working compiler\n$ run it\nsession starts", line=10)
    assert severity_of(failed, text("3 passed", 50), rules=(NO_COMPILER, passed)) is Severity.FATAL


def test_what_went_well_after_a_process_ended_was_another_one():
    rules = NO_COMPILER, rule("said: 3 passed", **HARMLESS, more="handles: {as: handled, before: 100}")
    failed, ended = chain("RuntimeError: No working compiler", line=10), text("3 passed", 50)
    assert severity_of(failed, exit_of("exited", 20), ended, rules=rules) is Severity.FATAL
    assert (
        severity_of(failed, exit_of("Segmentation fault", 20, signal="SIGSEGV"), ended, rules=rules) is Severity.FATAL
    )
    # One that ended before is no end of this one, nor is that of another process or one that was only logged.
    assert severity_of(exit_of("exited", 5), failed, ended, rules=rules) is Severity.HANDLED
    assert severity_of(failed, replace(exit_of("exited", 20), process=RANK0), ended, rules=rules) is Severity.HANDLED


def test_of_a_run_that_began_in_sight_only_a_signal_or_the_end_of_the_job_stops_it():
    since = "handles: {as: handled, before: 100, since: ['session starts']}"
    rules = NO_COMPILER, rule("said: 3 passed", **HARMLESS, more=since)
    began, failed, ended = (
        text("session starts", 8),
        chain("RuntimeError: No working compiler", line=10),
        text("3 passed", 50),
    )
    child = exit_of("exited", 20)
    assert severity_of(began, failed, child, ended, rules=rules) is Severity.HANDLED
    job = replace(child, message="Process completed with exit code 1.")
    assert severity_of(began, failed, job, ended, rules=rules) is Severity.FATAL
    assert severity_of(began, failed, exit_of("Killed", 20, signal="SIGKILL"), ended, rules=rules) is Severity.FATAL


def test_findings_that_are_all_handled_make_a_clean_log_and_stay_listed():
    answer = diagnosis_of([chain("RuntimeError: No working compiler", level=Level.DEBUG)], NO_COMPILER)
    assert answer.outcome is Outcome.CLEAN
    assert answer.label == "none/clean"
    assert [finding.severity for finding in answer.findings] == [Severity.HANDLED]


def test_a_degraded_finding_is_an_answer():
    answer = diagnosis_of([chain("RuntimeError: No working compiler", level=Level.WARNING)], NO_COMPILER)
    assert answer.outcome is Outcome.DIAGNOSED
    assert answer.label == "toolchain/cxx-missing"


def test_what_was_first_warned_of_and_then_raised_is_fatal_once():
    warned = chain("RuntimeError: No working compiler", line=1, level=Level.WARNING)
    raised = chain("RuntimeError: No working compiler", line=50)
    answer = diagnosis_of([warned, raised], NO_COMPILER)
    (finding,) = answer.findings
    assert (finding.severity, finding.occurrences, finding.evidence[0].span.line) == (Severity.FATAL, 2, 52)


def test_a_shell_error_after_a_degraded_finding_is_not_explained_by_it():
    events = (
        chain("RuntimeError: No working compiler", line=1, level=Level.WARNING),
        exit_of("Segmentation fault", 90, signal="SIGSEGV"),
    )
    assert diagnosis_of(events, NO_COMPILER).outcome is Outcome.UNEXPLAINED


def test_compiler_errors_beside_a_degraded_finding_are_explained_enough():
    events = chain("RuntimeError: No working compiler", line=1, level=Level.WARNING), diagnostic("a probe failed", 90)
    assert diagnosis_of(events, NO_COMPILER).outcome is Outcome.DIAGNOSED


def test_a_record_alone_is_carried():
    assert severity_of(record("No working compiler", 1, Level.INFO)) is Severity.HANDLED
    assert severity_of(replace(record("No working compiler", 1), record=header(Level.ERROR))) is Severity.FATAL


@pytest.mark.parametrize(
    ("log", "confidence"),
    [
        ("/bin/sh: 1: nvcc: not found\n", Confidence.LIKELY),
        ("/bin/sh: 1: nvcc: not found\nTraceback (most recent call last):\n", Confidence.LIKELY),
        ("sh: 1: g++: not found\n/bin/sh: 1: nvcc: not found\nusing plain operators\n", Confidence.LIKELY),
        ("FAILED: a.o\n/bin/sh: 1: nvcc: not found\nninja: build stopped: subcommand failed.\n", Confidence.CERTAIN),
        ("/bin/sh: 1: nvcc: not found\nRuntimeError: Error building extension 'a'\n", Confidence.CERTAIN),
        ("make: nvcc: Command not found\nmake: *** [Makefile:3: a.o] Error 127\n", Confidence.CERTAIN),
    ],
)
def test_a_program_that_a_shell_did_not_find_is_sure_to_have_mattered_only_where_something_failed(log, confidence):
    answer = analyze_text(log)
    assert (answer.label, answer.confidence) == ("toolchain/cuda-toolkit-missing", confidence)
    assert ("nothing in this log shows" in answer.findings[0].because) is (confidence is Confidence.LIKELY)
