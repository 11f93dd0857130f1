"""Every exception that tracelens raises on purpose, split by who must act.

A bad log never raises: text that cannot be placed becomes an event and a
diagnostic. These classes are for bad arguments, unreadable inputs, bad rule
files and our own faults. All of them pickle, since workers hand them back.
"""

from __future__ import annotations

from tracelens.record import Record


class TracelensError(Exception):
    """The base of everything tracelens raises on purpose."""


class UsageError(TracelensError):
    """The command line asks for something that cannot be done."""


class InputError(TracelensError):
    """An input cannot be read: it is missing, broken, refused or too large."""

    def __init__(self, name: str, reason: str) -> None:
        """Keep which input failed and why, in words for the user."""
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        """Say both in one line."""
        return f"{self.name}: {self.reason}"


class RuleProblem(Record):
    """One thing wrong with one rule file; ``line`` is 1-based."""

    file: str
    line: int
    where: str
    problem: str

    def __str__(self) -> str:
        """Print as compilers do, so that editors can jump to it."""
        return f"{self.file}:{self.line}: {self.where}: {self.problem}"


class RuleFileError(TracelensError):
    """One or more rule files are wrong; holds every problem of every file."""

    def __init__(self, problems: tuple[RuleProblem, ...]) -> None:
        """Keep all problems, in file and line order."""
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        """One problem a line."""
        return "\n".join(str(problem) for problem in self.problems)


class AnchorError(TracelensError):
    """A pattern cannot be looked for by the scan, so its rule would be deaf."""

    def __init__(self, pattern: str, reason: str) -> None:
        """Keep the pattern as written, and what is wrong with it in words."""
        super().__init__(pattern, reason)
        self.pattern = pattern
        self.reason = reason

    def __str__(self) -> str:
        """Name the pattern: whoever wrote it has to find it."""
        return f"the scan cannot look for {self.pattern!r}: {self.reason}"


class GrammarError(TracelensError):
    """The grammar tables cannot be built or do not fit this version."""


class VerifyError(TracelensError):
    """A verification could not be set up or carried out."""
