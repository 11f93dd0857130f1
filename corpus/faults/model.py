"""What a fault is: how it is made, what shows it, and which fixes are tried on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Something that a user would try, and whether it is expected to help.

    Without ``run``, ``edit`` and ``root``, the commands are those of the first
    finding of the diagnosis that offers a fix of this name, filled from the log.
    ``helps`` is ``None`` where nobody knew before the run.
    """

    id: str
    helps: bool | None
    run: tuple[str, ...] = ()  # lines that are run before the workload, in its shell
    edit: tuple[tuple[str, str], ...] = ()  # replacements in the workload's source
    root: tuple[str, ...] = ()  # lines that an administrator runs, where the workload has another user


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
    #: ``bare``: torch never compiled anything; ``probed``: it knows the processor, and
    #: built no kernel of this workload; ``warm``: the workload ran before.
    start: str = "bare"
    prepare: tuple[str, ...] = ()
    inject: tuple[str, ...] = ()
    edit: tuple[tuple[str, str], ...] = ()  # turns the sound workload into the faulty one
    #: A run that exits with 0 has failed all the same where this pattern is in its log.
    symptom: str | None = None
    seconds: int = 150  # for one run; a run that hangs is over then
    visible: str | None = None  # the label that the log can tell, where that is less than the truth
    user: int | None = None  # who runs the workload and the fixes, if not root


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a workload; ``exit_code`` is ``None`` where it ran out of time."""

    exit_code: int | None
    seconds: float
    log: bytes
    repair: bytes = b""  # what the lines of the fix printed
