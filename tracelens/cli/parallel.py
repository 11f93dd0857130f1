"""Many logs on all cores: a process for each core, answers in the order of the inputs.

A process holds one log at a time, so that a thousand rank logs need no more
memory than a few.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence

from tracelens.cli.tasks import Task, do_task
from tracelens.errors import InputError
from tracelens.findings import Diagnosis
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet

#: Less than this in all is read before other processes have started.
_WORTH_BYTES = 8 << 20
_worker: list[RuleSet] = []


def worthwhile_jobs(tasks: Sequence[Task | InputError]) -> int:
    """Return how many processes the tasks are worth."""
    sizes = [task.log.size or 0 for task in tasks if isinstance(task, Task) and task.log]
    return min(len(sizes), os.cpu_count() or 1) if sum(sizes) > _WORTH_BYTES else 1


def do_parallel(
    tasks: Sequence[Task | InputError], jobs: int, rules: Sequence[str]
) -> Iterator[Diagnosis | InputError]:
    """Yield the answers in order; ``rules`` are the folders of further rules."""
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    pool = multiprocessing.get_context(method).Pool(min(jobs, len(tasks)), _begin, (tuple(rules),))
    with pool:
        yield from pool.imap(_do, tasks)


def _begin(rules: tuple[str, ...]) -> None:
    # Ctrl-C is for the process that hands out the work; it ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker.append(load_ruleset(rules))


def _do(task: Task | InputError) -> Diagnosis | InputError:
    return do_task(task, _worker[0], quiet=True)
