"""Inputs in, one report and one exit code out: what ``tracelens analyze`` does."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from tracelens.api import analyze_artifacts, analyze_beside, combine
from tracelens.cli.formats import EXCERPT_ROOM, TERMINAL, asked_for
from tracelens.cli.output import layout_for_output, write_errors, write_lines, write_text
from tracelens.cli.progress import WatchedFeed
from tracelens.errors import InputError, UsageError
from tracelens.findings import Diagnosis, ExitCode, Outcome
from tracelens.report.harmless import harmless_line
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet
from tracelens.source import Feed, Input, expand_inputs
from tracelens.source.artifact_names import is_artifact_name, is_trace_head


def run_analyze(options: argparse.Namespace) -> ExitCode:
    """Analyse every input, print the report and return the exit code.

    An input that cannot be read does not keep the others from being analysed.
    """
    if _is_one_plain_output(options):
        answers, complete = _analyze_inputs(options, excerpt_room=0)
        if answers:
            _print(answers, options)
        return _exit_code(answers, complete=complete, options=options)
    # Whoever wants one plain answer does not pay for redaction and the other formats.
    from tracelens.cli.reports import Reports

    Reports.check(options)
    carries_log = any(each is not None and each.carries_log for each, _ in asked_for(options))
    answers, complete = _analyze_inputs(options, excerpt_room=EXCERPT_ROOM if carries_log else 0)
    if answers:
        Reports(answers, options).write()
    return _exit_code(answers, complete=complete, options=options)


def _is_one_plain_output(options: argparse.Namespace) -> bool:
    return options.format in (TERMINAL, "json") and not options.redact and len(asked_for(options)) == 1


class _Plan(NamedTuple):
    """What every log is analysed with."""

    ruleset: RuleSet
    excerpt_room: int
    beside: Sequence[Input] = ()


def _analyze_inputs(options: argparse.Namespace, *, excerpt_room: int) -> tuple[list[Diagnosis], bool]:
    ruleset = load_ruleset(options.rules)
    limits = {} if options.max_size is None else {"max_size": options.max_size}
    answers: list[Diagnosis] = []
    arguments = _arguments(options)
    with _Complaints() as complaints:
        beside = [entry for folder in options.artifacts for entry in expand_inputs([folder], **limits)]
    complete = not complaints.count
    is_one_log = len(arguments) == 1 and not os.path.isdir(arguments[0])  # noqa: PTH112  # pathlib costs every start
    plan = _Plan(ruleset, excerpt_room, beside if is_one_log else ())
    for argument in arguments:
        with _Complaints() as complaints:
            artifacts: list[Input] = []
            for entry in expand_inputs([argument], **limits):
                if is_artifact_name(entry.name):
                    artifacts.append(entry)
                    continue
                with complaints, entry.open() as feed, WatchedFeed(entry, feed, quiet=options.quiet) as watched:
                    answers.append(_analyze(entry, feed, watched, plan))
            if artifacts:
                answers.append(analyze_artifacts(artifacts, ruleset, source=argument))
        complete = complete and not complaints.count
    if beside and not is_one_log:
        answers.append(analyze_artifacts(beside, ruleset, source=options.artifacts[0]))
    return answers, complete


def _analyze(entry: Input, feed: Feed, watched: WatchedFeed, plan: _Plan) -> Diagnosis:
    if is_trace_head(feed.head):
        # A pipe cannot be opened again, and what was unpacked need not be.
        trace = Input(name=entry.name, size=entry.size, opener=lambda: feed)
        return analyze_artifacts([trace, *plan.beside], plan.ruleset, source=entry.name)
    return analyze_beside(watched, plan.ruleset, plan.beside, source=entry.name, excerpt_room=plan.excerpt_room)


class _Complaints:
    """Tells of inputs that cannot be read, and lets the others be analysed."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> _Complaints:  # noqa: PYI034  # Self is not in Python 3.10
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, InputError):
            return False
        self.count += 1
        write_errors(f"tracelens: {harmless_line(str(error))}\n")
        return True


def _arguments(options: argparse.Namespace) -> Sequence[str]:
    if options.inputs or options.artifacts:
        return list(dict.fromkeys(options.inputs))
    if sys.stdin is None or sys.stdin.isatty():
        message = "no input: name a log, or pipe one in: python train.py 2>&1 | tracelens analyze -"
        raise UsageError(message)
    return ["-"]


def _print(answers: Sequence[Diagnosis], options: argparse.Namespace) -> None:
    several = answers if len(answers) > 1 else ()
    together = combine(answers) if several else answers[0]
    if options.format == "json":
        from tracelens.report.as_json import render_json

        write_text(render_json(together, several), options.output)
        return
    from tracelens.report.layout import lay_out_report, lay_out_verdict

    layout = layout_for_output(options.output)
    if options.quiet:
        write_lines([lay_out_verdict(answer, layout) for answer in answers], options.output)
        return
    write_lines(lay_out_report(together, several, layout), options.output)


def _exit_code(answers: Sequence[Diagnosis], *, complete: bool, options: argparse.Namespace) -> ExitCode:
    if not complete:
        return ExitCode.USAGE
    outcomes = {answer.outcome for answer in answers}
    if options.exit_on_failure and outcomes - {Outcome.CLEAN}:
        return ExitCode.FAILURE
    if Outcome.UNEXPLAINED in outcomes:
        return ExitCode.UNEXPLAINED
    if options.strict and any(answer.coverage.unparsed for answer in answers):
        return ExitCode.UNEXPLAINED
    return ExitCode.EXPLAINED
