"""What there is to analyse, one task for each answer, and how each is done.

A task can be handed to another process: see ``parallel``.
"""

from __future__ import annotations

from collections.abc import Iterator

from tracelens.api import LogFeed, analyze_artifacts, analyze_beside
from tracelens.errors import InputError
from tracelens.findings import Diagnosis
from tracelens.record import Record
from tracelens.ruleset.compiled import RuleSet
from tracelens.source import Feed, Input, expand_inputs
from tracelens.source.artifact_names import is_artifact_name, is_trace_head

#: Below this many bytes the answer is there before a bar could be read.
_WORTH_A_BAR = 64 * 2**20


class Task(Record):
    """One answer to find: from a log with what lies beside it, or from artifacts alone.

    ``excerpt_room`` is how many characters of the log the answer is to carry.
    """

    source: str
    log: Input | None
    beside: tuple[Input, ...] = ()
    excerpt_room: int = 0


def tasks_of(
    argument: str, limits: dict[str, int], beside: tuple[Input, ...] = (), excerpt_room: int = 0
) -> Iterator[Task | InputError]:
    """Yield the tasks that an argument stands for; what cannot be read of it comes last."""
    artifacts: list[Input] = []
    try:
        for entry in expand_inputs([argument], **limits):
            if is_artifact_name(entry.name):
                artifacts.append(entry)
            else:
                yield Task(source=entry.name, log=entry, beside=beside, excerpt_room=excerpt_room)
        if artifacts:
            yield Task(source=argument, log=None, beside=tuple(artifacts))
    except InputError as error:
        yield error


def do_task(task: Task | InputError, ruleset: RuleSet, *, quiet: bool) -> Diagnosis | InputError:
    """Return the answer, or why there is none."""
    if isinstance(task, InputError):
        return task
    try:
        if task.log is None:
            return analyze_artifacts(task.beside, ruleset, source=task.source)
        with task.log.open() as feed:
            if quiet or (task.log.size or 0) < _WORTH_A_BAR:
                return _analyze(task, feed, feed, ruleset)
            from tracelens.cli.progress import WatchedFeed

            with WatchedFeed(task.log, feed) as watched:
                return _analyze(task, feed, watched, ruleset)
    except InputError as error:
        return error


def _analyze(task: Task, feed: Feed, watched: LogFeed, ruleset: RuleSet) -> Diagnosis:
    if is_trace_head(feed.head):
        # A pipe cannot be opened again, and what was unpacked need not be.
        trace = Input(name=task.source, size=None, opener=lambda: feed)
        return analyze_artifacts([trace, *task.beside], ruleset, source=task.source)
    return analyze_beside(watched, ruleset, task.beside, source=task.source, excerpt_room=task.excerpt_room)
