"""``tracelens rules lint``, ``test``, ``coverage`` and ``new``: what is wrong, and what is missing."""

from __future__ import annotations

import argparse
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from tracelens.api import analyze_feed
from tracelens.authoring.coverage import LogCoverage, cover
from tracelens.authoring.draft import draft_rule
from tracelens.authoring.lint import Gravity, Remark, lint_folders, lint_labels
from tracelens.authoring.logs import read_log, read_logs
from tracelens.authoring.trials import Diagnose, Trial, Verdict, try_cases, try_examples
from tracelens.cli.output import write_errors, write_text
from tracelens.cli.rules_reading import known_rule
from tracelens.engine.diagnose import judge_events
from tracelens.errors import InputError, UsageError
from tracelens.findings import SCHEMA_VERSION, ExitCode
from tracelens.handbook.finding import with_examples
from tracelens.report.harmless import harmless, harmless_line, json_text, whole_characters
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.load import bundled_folder, bundled_taxonomy, load_labels
from tracelens.ruleset.read_rule import CODE
from tracelens.source import expand_inputs

_MOST_LINES = 20
_LONGEST = 160


def lint(options: argparse.Namespace) -> ExitCode:
    """Print remarks as compilers do; 2 with an error, 1 with warnings only."""
    ours = bundled_folder()
    folders = [Path(folder) for folder in options.folders] or [ours]
    own = all(ours.resolve() in (folder.resolve(), *folder.resolve().parents) for folder in folders)
    count, remarks = lint_folders(
        folders,
        labels=load_labels(bundled_taxonomy()),
        ours=None if own else load_ruleset(),
        corpus=_corpus_of_checkout() if own else None,
    )
    if folders == [ours] and not any(remark.gravity is Gravity.ERROR for remark in remarks):
        remarks = (*lint_labels(bundled_taxonomy(), load_ruleset()), *remarks)
    errors = sum(remark.gravity is Gravity.ERROR for remark in remarks)
    if options.json:
        write_text(
            json_text({"schema_version": SCHEMA_VERSION, "rules": count, "remarks": list(map(_data, remarks))}), None
        )
    else:
        for remark in remarks:
            problem = remark.problem
            line = (
                f"{problem.file}:{problem.line}: {remark.gravity.value}: {problem.where or 'file'}: {problem.problem}"
            )
            write_text(f"{harmless_line(line)}\n", None)
        write_text(f"rules: {count}, errors: {errors}, warnings: {len(remarks) - errors}\n", None)
    if errors:
        return ExitCode.USAGE
    return ExitCode.UNEXPLAINED if remarks else ExitCode.EXPLAINED


def _data(remark: Remark) -> dict[str, Any]:
    problem = remark.problem
    return {
        "gravity": remark.gravity.value,
        "file": problem.file,
        "line": problem.line,
        "where": problem.where,
        "problem": problem.problem,
    }


def test(options: argparse.Namespace) -> ExitCode:
    """Print trials that failed and how many did not; 1 when any failed."""
    ruleset = load_ruleset(options.rules)
    rules = [known_rule(name, options) for name in options.tried] or list(ruleset.rules)
    corpus = Path(options.corpus) if options.corpus else _corpus_of_checkout()
    if options.corpus and not Path(options.corpus).is_dir():
        raise InputError(options.corpus, "is no directory of cases")
    diagnose = _diagnoser(ruleset)
    trials: list[Trial] = []
    for rule in rules:
        trials += try_examples(with_examples(rule))
        if corpus is not None:
            trials += try_cases(rule, corpus, diagnose)
    failed = [trial for trial in trials if trial.verdict is not Verdict.PASSED]
    if options.json:
        data = [{**trial_data(trial), "passed": trial.verdict is Verdict.PASSED} for trial in trials]
        write_text(json_text({"schema_version": SCHEMA_VERSION, "trials": data}), None)
    else:
        for trial in failed:
            write_text(f"{_said(trial)}\n", None)
        cases = "" if corpus is not None else "; there is no corpus here, so that only examples were tried"
        write_text(f"rules: {len(rules)}, trials: {len(trials)}, failed: {len(failed)}{cases}\n", None)
    return ExitCode.UNEXPLAINED if failed else ExitCode.EXPLAINED


def trial_data(trial: Trial) -> dict[str, Any]:
    """Return a trial as plain data."""
    return {
        "code": trial.code,
        "where": trial.where,
        "subject": trial.subject,
        "wanted": trial.wanted,
        "verdict": trial.verdict.value,
    }


def _said(trial: Trial) -> str:
    if trial.verdict is Verdict.MISSING:
        what = "there is no such case"
    else:
        what = "does not match, and should" if trial.wanted else "matches, and should not"
    subject = harmless_line(trial.subject.partition("\n")[0][:_LONGEST])
    return f"{trial.code}: {trial.where}: {what}: {subject}"


def _diagnoser(ruleset: RuleSet) -> Diagnose:
    @cache
    def diagnose(log: Path) -> frozenset[str]:
        (entry,) = expand_inputs([str(log)])
        with entry.open() as feed:
            return frozenset(finding.code for finding in analyze_feed(feed, ruleset).findings)

    return diagnose


def _corpus_of_checkout() -> Path | None:
    corpus = bundled_folder().parent / "corpus"
    return corpus if corpus.is_dir() else None


def cover_logs(options: argparse.Namespace) -> ExitCode:
    """Print the events that no rule looks at; 1 when there are any."""
    ruleset = load_ruleset(options.rules)
    rules = ruleset.rules
    covered = [cover(log.name, log.store, rules) for log in read_logs(options.inputs, ruleset)]
    unseen = sum(len(log.unseen) for log in covered)
    if options.json:
        write_text(
            json_text({"schema_version": SCHEMA_VERSION, "logs": [_coverage_data(log) for log in covered]}), None
        )
    else:
        for log in covered:
            _print_coverage(log)
        total = sum(log.events for log in covered)
        write_text(f"logs: {len(covered)}, events that say something: {total}, that no rule looks at: {unseen}\n", None)
    return ExitCode.UNEXPLAINED if unseen else ExitCode.EXPLAINED


def _print_coverage(log: LogCoverage) -> None:
    kinds = Counter(event.kind.value for event in log.unseen)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common()) or "nothing is passed over"
    write_text(f"{harmless_line(log.source)}: {told}\n", None)
    for event in log.unseen[:_MOST_LINES]:
        write_text(f"  {event.span.line}: {event.kind.value}: {harmless_line(event.said[:_LONGEST])}\n", None)
    if len(log.unseen) > _MOST_LINES:
        write_text(f"  and {len(log.unseen) - _MOST_LINES} more; --json has them all\n", None)


def _coverage_data(log: LogCoverage) -> dict[str, Any]:
    unseen = [
        {"kind": event.kind.value, "line": event.span.line, "said": whole_characters(event.said)}
        for event in log.unseen
    ]
    return {"source": whole_characters(log.source), "events": log.events, "unseen": unseen}


def draft(options: argparse.Namespace) -> ExitCode:
    """Print a draft, or write it into a directory under its own name."""
    if not CODE.fullmatch(options.code):
        message = f"--code is capitals and three or four digits, such as DRAFT001: {harmless_line(options.code)}"
        raise UsageError(message)
    ruleset = load_ruleset(options.rules)
    if options.code in {entry.code for entry in ruleset.entries}:
        message = f"the code {options.code} is taken"
        raise UsageError(message)
    log = read_log(options.log, ruleset)
    judgement = judge_events(log.store, ruleset)
    made = draft_rule(
        judgement, log.excerpt, code=options.code, source=log.name, labels=load_labels(bundled_taxonomy())
    )
    if options.output is None:
        write_text(harmless(made.text), None)
        return ExitCode.EXPLAINED
    target = Path(options.output) / made.file
    if target.exists():
        raise InputError(str(target), "is there already")
    write_text(made.text, str(target))
    write_errors(f"tracelens: wrote {harmless_line(str(target))}; try it: tracelens analyze LOG --rules DIR\n")
    return ExitCode.EXPLAINED


ACTIONS = {"lint": lint, "test": test, "coverage": cover_logs, "new": draft}
