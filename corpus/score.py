"""Score the installed ``tracelens`` command on the corpus.

Every case is given to the command in a process of its own, as a user would.
The lab (real runs with injected faults), the reports (logs in the shape of
public bug reports) and the decoys (logs that look like a failure they are not)
are scored apart, since they are different populations.

What counts:

- *label*: the answered label is the case's ``label`` or one of its
  ``also_acceptable``; *cause*: the part before the slash is that of one of these.
- *evidence*, for cases that name their evidence line: with runs of white space
  taken as one blank, one of the lines that the first finding calls ``root``
  contains the case's evidence, or is a part of it that is at least half as long.
  Only the first ``ROOT_LINES`` lines of a piece of evidence count, so quoting a
  whole log proves nothing.
- *false accusation*: one of the four root causes is answered where the truth is
  ``outside`` or ``none`` and no ``also_acceptable`` label allows that cause.
- *crash*: no JSON, a traceback, a time-out, or an exit code that does not fit the
  outcome.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).resolve().parent
COMMAND = Path(sys.executable).parent / "tracelens"
SETS = ("lab", "reports", "decoys")
ROOT_CAUSES = frozenset({"toolchain", "cache", "dynamic-shapes", "abi"})
ROOT_LINES = 20
TIMEOUT_SECONDS = 60
UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One log of the corpus and what is known to be true of it."""

    id: str
    log: Path
    label: str
    also_acceptable: tuple[str, ...]
    evidence: str | None

    @property
    def labels(self) -> tuple[str, ...]:
        """Return every right label, the best one first."""
        return (self.label, *self.also_acceptable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the command said of one case; ``crash`` says why it said nothing."""

    label: str
    root_lines: tuple[str, ...]
    seconds: float
    crash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One case, judged; ``evidence`` is ``None`` where the case names none."""

    id: str
    truth: tuple[str, ...]
    got: str
    cause: bool
    label: bool
    evidence: bool | None
    false_accusation: bool
    crash: str | None
    seconds: float
    first_line: str


def cause_of(label: str) -> str:
    """Return the part of a label that names the cause."""
    return label.partition("/")[0]


def wilson(right: int, total: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the Wilson 95% interval of a share, as fractions."""
    if total == 0:
        return 0.0, 1.0
    share = right / total
    centre = share + z * z / (2 * total)
    margin = z * ((share * (1 - share) + z * z / (4 * total)) / total) ** 0.5
    scale = 1 + z * z / total
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)


def load_cases(name: str, only: str) -> list[Case]:
    """Load the cases of one set whose id contains ``only``, sorted by id."""
    cases = []
    for file in sorted((CORPUS / name).rglob("case.yml")):
        identity = file.parent.relative_to(CORPUS).as_posix()
        if only not in identity:
            continue
        record = yaml.safe_load(file.read_text(encoding="utf-8"))
        case = Case(
            id=identity,
            log=file.with_name("input.log"),
            label=record["label"],
            also_acceptable=tuple(record.get("also_acceptable", ())),
            evidence=record.get("evidence"),
        )
        cases.append(case)
    return cases


def run_case(case: Case) -> Answer:
    """Run the installed command on one log and read its JSON."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            [COMMAND, "analyze", "--format", "json", case.log],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        seconds = time.monotonic() - started
        return Answer(label="timeout", root_lines=(), seconds=seconds, crash=f"no answer in {TIMEOUT_SECONDS} s")
    return read_answer(done, time.monotonic() - started)


def read_answer(done: subprocess.CompletedProcess[bytes], seconds: float) -> Answer:
    """Turn the output of one run into an answer."""
    errors = done.stderr.decode(errors="replace")
    try:
        diagnosis: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        words = errors.strip().splitlines() or ["no output"]
        return Answer(label="crash", root_lines=(), seconds=seconds, crash=f"exit {done.returncode}: {words[-1]}")
    crash = None
    if "Traceback" in errors:
        crash = "a traceback on stderr"
    elif done.returncode != (1 if diagnosis["outcome"] == UNEXPLAINED else 0):
        crash = f"exit {done.returncode} with outcome {diagnosis['outcome']}"
    findings = diagnosis["findings"]
    evidence = findings[0]["evidence"] if findings else []
    roots = [item["text"].splitlines()[:ROOT_LINES] for item in evidence if item["role"] == "root"]
    return Answer(
        label=diagnosis["label"] or UNEXPLAINED,
        root_lines=tuple(line for lines in roots for line in lines if line.strip()),
        seconds=seconds,
        crash=crash,
    )


def names_evidence(expected: str, root_lines: tuple[str, ...]) -> bool:
    """Tell whether a root line is the expected one, as the module says."""
    wanted = " ".join(expected.split())
    for line in root_lines:
        shown = " ".join(line.split())
        if wanted in shown or (shown in wanted and 2 * len(shown) >= len(wanted)):
            return True
    return False


def judge(case: Case, answer: Answer) -> Verdict:
    """Compare an answer with the truth."""
    cause = cause_of(answer.label)
    causes = {cause_of(label) for label in case.labels}
    return Verdict(
        id=case.id,
        truth=case.labels,
        got=answer.label,
        cause=cause in causes,
        label=answer.label in case.labels,
        evidence=None if case.evidence is None else names_evidence(case.evidence, answer.root_lines),
        false_accusation=cause in ROOT_CAUSES and cause_of(case.label) not in ROOT_CAUSES and cause not in causes,
        crash=answer.crash,
        seconds=answer.seconds,
        first_line=answer.root_lines[0].strip() if answer.root_lines else "",
    )


def count(verdicts: list[Verdict]) -> dict[str, tuple[int, int]]:
    """Count each figure: how many cases, of how many."""
    total = len(verdicts)
    named = [verdict.evidence for verdict in verdicts if verdict.evidence is not None]
    return {
        "cause": (sum(verdict.cause for verdict in verdicts), total),
        "label": (sum(verdict.label for verdict in verdicts), total),
        "evidence": (sum(named), len(named)),
        "false_accusations": (sum(verdict.false_accusation for verdict in verdicts), total),
        "unexplained": (sum(verdict.got == UNEXPLAINED for verdict in verdicts), total),
        "crashes": (sum(verdict.crash is not None for verdict in verdicts), total),
    }


SHARES = ("cause", "label", "evidence")


def describe(name: str, verdicts: list[Verdict], wall: float) -> str:
    """Lay out the figures of one set and its misses."""
    lines = [f"{name}: {len(verdicts)} cases, {wall:.1f} s"]
    for figure, (right, total) in count(verdicts).items():
        title = figure.replace("_", " ")
        if figure not in SHARES:
            lines.append(f"  {title:<18}{right:>4}")
        elif total:
            low, high = wilson(right, total)
            interval = f"95% interval {100 * low:.1f} to {100 * high:.1f}%"
            lines.append(f"  {title:<18}{right:>4} of {total:<4} {100 * right / total:6.2f}%   {interval}")
    seconds = [verdict.seconds for verdict in verdicts]
    if seconds:
        lines.append(f"  seconds a case    median {statistics.median(seconds):.2f}, slowest {max(seconds):.2f}")
    misses = [verdict for verdict in verdicts if not verdict.label or verdict.crash or verdict.evidence is False]
    for verdict in misses:
        kind = "evidence" if verdict.label and not verdict.crash else "label" if verdict.cause else "cause"
        lines.append(
            f"  - {verdict.id}: {kind}: truth {' or '.join(verdict.truth)}; got {verdict.crash or verdict.got}"
        )
        if verdict.first_line:
            lines.append(f"      {verdict.first_line[:160]}")
    return "\n".join(lines)


def shortfalls(results: dict[str, list[Verdict]], requirements: list[str]) -> list[str]:
    """Return each requirement that does not hold; sets without a case are left out."""
    broken = []
    for requirement in requirements:
        key, _, bound = requirement.partition("=")
        name, _, figure = key.partition(".")
        right, total = count(results[name])[figure]
        if total == 0:
            continue
        if figure in SHARES and 100 * right < float(bound) * total:
            broken.append(f"{key} is {100 * right / total:.2f}%, below {bound}%")
        if figure not in SHARES and right > int(bound):
            broken.append(f"{key} is {right}, above {bound}")
    return broken


def is_requirement(text: str) -> str:
    """Check one ``SET.FIGURE=BOUND`` of the command line."""
    key, _, bound = text.partition("=")
    name, _, figure = key.partition(".")
    if name not in SETS or figure not in count([]):
        message = f"{text!r}: expected one of {', '.join(SETS)}, a dot, and one of {', '.join(count([]))}"
        raise argparse.ArgumentTypeError(message)
    float(bound)
    return text


def main() -> int:
    """Score, print, and return 1 where a requirement does not hold."""
    parser = argparse.ArgumentParser(description="Score the installed tracelens command on the corpus.")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only cases whose id contains this")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every verdict to FILE")
    parser.add_argument("--require", type=is_requirement, nargs="+", default=[], metavar="SET.FIGURE=BOUND")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    options = parser.parse_args()
    results: dict[str, list[Verdict]] = {}
    for name in SETS:
        cases = load_cases(name, options.only)
        started = time.monotonic()
        with ThreadPoolExecutor(options.jobs) as pool:
            results[name] = [judge(case, answer) for case, answer in zip(cases, pool.map(run_case, cases), strict=True)]
        if cases:
            print(describe(name, results[name], time.monotonic() - started))
    if options.json:
        verdicts = {name: [asdict(verdict) for verdict in verdicts] for name, verdicts in results.items()}
        options.json.write_text(json.dumps(verdicts, indent=1), encoding="utf-8")
    broken = shortfalls(results, options.require)
    for line in broken:
        print(f"required: {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
