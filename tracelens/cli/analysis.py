"""Inputs in, one report and one exit code out: what ``tracelens analyze`` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence

from tracelens.api import combine
from tracelens.cli.formats import EXCERPT_ROOM, TERMINAL, asked_for
from tracelens.cli.output import write_errors, write_text
from tracelens.cli.tasks import Task, do_task, tasks_of
from tracelens.errors import InputError, UsageError
from tracelens.findings import Diagnosis, ExitCode, Outcome
from tracelens.record import replace
from tracelens.report.harmless import harmless_line
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet
from tracelens.source import Input, expand_inputs
from tracelens.source.inputs import STDIN
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

#: Adds to answers what is not in their logs.
Revision = Callable[[list[Diagnosis]], list[Diagnosis]]


def run_analyze(options: argparse.Namespace, revise: Revision | None = None) -> ExitCode:
    """Analyse every input, print the report and return the exit code.

    An input that cannot be read does not keep the others from being analysed.
    ``revise`` may add to the answers before they are printed.
    """
    _check_outputs(options)
    if _is_one_plain_output(options):
        answers, complete = _analyze_inputs(options, excerpt_room=0)
        answers = revise(answers) if revise else answers
        if answers:
            _print(answers, options)
        return _exit_code(answers, complete=complete, options=options)
    # Whoever wants one plain answer does not pay for redaction and the other formats.
    from tracelens.cli.reports import Reports

    Reports.check(options)
    carries_log = any(each is not None and each.carries_log for each, _ in asked_for(options))
    answers, complete = _analyze_inputs(options, excerpt_room=EXCERPT_ROOM if carries_log else 0)
    answers = revise(answers) if revise else answers
    if answers:
        Reports(answers, options).write()
    return _exit_code(answers, complete=complete, options=options)


def _check_outputs(options: argparse.Namespace) -> None:
    if any(path is not None for _, path in asked_for(options)):
        from tracelens.cli.overwriting import refuse_overwriting

        refuse_overwriting(options)


def _is_one_plain_output(options: argparse.Namespace) -> bool:
    return options.format in (TERMINAL, "json") and not options.redact and len(asked_for(options)) == 1


def _analyze_inputs(options: argparse.Namespace, *, excerpt_room: int) -> tuple[list[Diagnosis], bool]:
    ruleset = load_ruleset(options.rules)
    answers: list[Diagnosis] = []
    complaints = _Complaints()
    for result in _results(_tasks(options, ruleset, complaints, excerpt_room), options, ruleset):
        with complaints:
            if isinstance(result, InputError):
                raise result
            answers.append(result)
    return answers, not complaints.count


def _tasks(
    options: argparse.Namespace, ruleset: RuleSet, complaints: _Complaints, excerpt_room: int
) -> Iterator[Task | InputError]:
    limits = {} if options.max_size is None else {"max_size": options.max_size}
    arguments = _arguments(options)
    beside: tuple[Input, ...] = ()
    with complaints:
        beside = tuple(entry for folder in options.artifacts for entry in expand_inputs([folder], **limits))
    is_one_log = len(arguments) == 1 and not os.path.isdir(arguments[0])  # noqa: PTH112  # pathlib costs every start
    if options.follow and not is_one_log:
        message = "--follow takes one file"
        raise UsageError(message)
    for argument in arguments:
        for task in tasks_of(argument, limits, beside if is_one_log else (), excerpt_room):
            is_live = options.follow or (argument == STDIN and not options.quiet)
            yield _live(task, ruleset, options) if is_live and isinstance(task, Task) else task
    if beside and not is_one_log:
        yield Task(source=options.artifacts[0], log=None, beside=beside)


def _live(task: Task, ruleset: RuleSet, options: argparse.Namespace) -> Task | InputError:
    """Let a task name what fails while its log still grows."""
    from tracelens.cli.live import followed, listened_to

    if task.log is None:
        return task
    try:
        return replace(task, log=(followed if options.follow else listened_to)(task.log, ruleset))
    except InputError as error:
        return error


def _results(
    tasks: Iterator[Task | InputError], options: argparse.Namespace, ruleset: RuleSet
) -> Iterator[Diagnosis | InputError]:
    several = len(options.inputs) > 1 or not all(map(os.path.isfile, options.inputs))
    if (options.jobs or 0) > 1 or (several and options.jobs is None and STDIN not in options.inputs):
        from tracelens.cli.parallel import do_parallel, worthwhile_jobs

        listed = list(tasks)
        jobs = options.jobs or worthwhile_jobs(listed)
        if jobs > 1 and len(listed) > 1:
            return do_parallel(listed, jobs, options.rules)
        tasks = iter(listed)
    return (do_task(task, ruleset, quiet=options.quiet) for task in tasks)


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
    return [STDIN]


def _print(answers: Sequence[Diagnosis], options: argparse.Namespace) -> None:
    several = answers if len(answers) > 1 else ()
    together = combine(answers) if several else answers[0]
    if options.format == "json":
        from tracelens.report.as_json import render_json

        write_text(render_json(together, several), options.output)
        return
    from tracelens.cli.terminal import write_terminal

    write_terminal(together, several, options, options.output)


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
