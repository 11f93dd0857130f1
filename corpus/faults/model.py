"""What a fault is: how it is made, what shows it, and which fixes are tried on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Something that a user would try, and whether it is expected to help.

    The fix of a rule is taken from the first finding that offers it, with its
    holes filled from the log, unless ``run`` or ``edit`` say how it is done here.
    ``helps`` is ``None`` where nobody knew before the run.
    """

    id: str
    helps: bool | None
    run: tuple[str, ...] = ()  # lines that are run before the workload, in its shell
    edit: tuple[tuple[str, str], ...] = ()  # replacements in the workload's source
    #: The code of the rule whose fix or piece of unhelpful advice this is.
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way to break a workload.

    ``prepare`` is done once to the files of the room; ``inject`` at each entry,
    since mounts and variables end with the shell. Both are lines of bash.
    """

    name: str
    label: str
    workload: str
    fixes: tuple[Fix, ...]
    #: ``bare``: nothing was ever compiled; ``probed``: torch knows the processor,
    #: no kernel was built; ``warm``: the workload ran before.
    start: str = "bare"
    prepare: tuple[str, ...] = ()
    inject: tuple[str, ...] = ()
    edit: tuple[tuple[str, str], ...] = ()  # turns the sound workload into the faulty one
    #: A run that exits with 0 has failed all the same where this pattern is in its log.
    symptom: str | None = None
    seconds: int = 150  # for one run; a run that hangs is over then
    #: Fixes of rules that nobody can try here, by id, and why.
    untried: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a workload; ``exit_code`` is ``None`` where it ran out of time."""

    exit_code: int | None
    seconds: float
    log: bytes
