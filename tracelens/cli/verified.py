"""One log in, its diagnosis and what this machine says of it out: ``verify``, and ``analyze --verify``."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tracelens.cli.analysis import run_analyze
from tracelens.cli.interrupts import EndedBySignal
from tracelens.cli.output import write_text
from tracelens.cli.verify_progress import VerifyProgress
from tracelens.environment.torch_facts import ask_python
from tracelens.errors import UsageError
from tracelens.findings import Diagnosis, ExitCode
from tracelens.record import replace
from tracelens.ruleset.bundled import load_ruleset
from tracelens.verification import Verdict
from tracelens.verify.options import VerifyOptions, usual_memory
from tracelens.verify.verify import measure, verify

_CODES = {
    Verdict.CONFIRMED: ExitCode.EXPLAINED,
    Verdict.CONTRADICTED: ExitCode.CONTRADICTED,
    Verdict.OPEN: ExitCode.UNSETTLED,
}


def run_verified(options: argparse.Namespace) -> ExitCode:
    """Analyse one log, run what it is about, print the report and return the exit code."""
    if len(options.inputs) != 1:
        message = "--verify takes one log, or - for standard input"
        raise UsageError(message)
    if os.name != "posix":
        message = "--verify needs Linux or macOS"
        raise UsageError(message)
    (argument,) = options.inputs
    verdicts: list[Verdict] = []

    def revise(answers: list[Diagnosis]) -> list[Diagnosis]:
        if not answers:
            return answers
        if len(answers) != 1:
            message = "--verify takes one log; this input holds several"
            raise UsageError(message)
        answer = _verify(replace(answers[0], source=argument), log, options)
        if answer.findings and answer.verification is not None:
            verdicts.append(answer.verification.verdict)
        _draw(answer, options)
        return [answer]

    with _ended_by_signals(), _as_file(argument) as log:
        options.inputs = [str(log)]
        code = run_analyze(options, revise)
    is_decided = code is ExitCode.EXPLAINED and verdicts
    return _CODES[verdicts[0]] if is_decided else code


def _verify(answer: Diagnosis, log: Path, options: argparse.Namespace) -> Diagnosis:
    chosen = _verify_options(options)
    with VerifyProgress(quiet=options.quiet) as progress:
        answer = verify(answer, log, chosen, progress.tell)
        return measure(answer, log, chosen, progress.tell) if getattr(options, "matrix", False) else answer


def _draw(answer: Diagnosis, options: argparse.Namespace) -> None:
    """Write the picture of the matrix where the output is named as one; the report then goes to standard output."""
    if answer.verification is None or not answer.verification.matrix or not (options.output or "").endswith(".svg"):
        return
    from tracelens.report.picture import render_matrix_svg

    facts = (answer.verification.matrix_of, answer.verification.device, answer.verification.torch)
    write_text(render_matrix_svg(answer.verification.matrix, ", ".join(fact for fact in facts if fact)), options.output)
    options.output = None


def _verify_options(options: argparse.Namespace) -> VerifyOptions:
    """Return the choices of ``tracelens verify``; ``analyze --verify`` has only defaults."""
    chosen = {name: getattr(options, name) for name in ("python", "device", "seconds") if getattr(options, name, None)}
    chosen.setdefault("python", _python_with_torch())
    return VerifyOptions(
        **chosen,
        memory=usual_memory(),
        tries=tuple(getattr(options, "tries", ())),
        artifacts=tuple(options.artifacts),
        script=getattr(options, "script", ()),
        trusted=frozenset(rule.code for rule in load_ruleset().entries) if options.rules else None,
    )


def _python_with_torch() -> str:
    """Return our own Python, or that on PATH: tracelens may live in an environment of its own, without torch."""
    answer = ask_python(None, os.environ)
    return sys.executable if isinstance(answer, str) else answer.path


@contextmanager
def _as_file(argument: str) -> Iterator[Path]:
    """Give the log a name, for it is read more than once."""
    if argument != "-":
        yield Path(argument)
        return
    with tempfile.NamedTemporaryFile(prefix="tracelens-", suffix=".log") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield Path(file.name)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a polite end, as by a scheduler, tidy up like Ctrl-C does."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise EndedBySignal(number)

    # One that is ignored stays ignored: nohup is asked for by those who leave.
    taken = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    former = {number: signal.signal(number, interrupt) for number in taken}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
