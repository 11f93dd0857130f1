"""``tracelens cache``: check, clean and name the compile caches of this user."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tracelens.cli.output import write_text
from tracelens.engine.topics import rules_of_topics
from tracelens.environment.caches import CacheReport, check_caches
from tracelens.environment.entries import CacheEntry
from tracelens.environment.holders import current_holders
from tracelens.environment.locks import CacheLock
from tracelens.environment.observations import topic_of
from tracelens.environment.roots import CacheKind, CacheRoot, cache_roots
from tracelens.environment.sweep import Removal, plan_all, plan_broken, sweep
from tracelens.errors import UsageError
from tracelens.findings import ExitCode
from tracelens.report.harmless import harmless_line, json_text
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.model import Rule
from tracelens.topics import Topic

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_UNIT = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe ``cache`` and what it can do."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="list the caches and every entry that is provably broken")
    clean = actions.add_parser("clean", help="delete what is provably broken, after showing it")
    paths = actions.add_parser("paths", help="print where the caches are, and how to move them")
    for action in (check, clean):
        action.add_argument(
            "--root",
            action="append",
            default=[],
            metavar="KIND=DIR",
            help=f"look at this directory instead; KIND is one of {', '.join(kind.value for kind in CacheKind)}",
        )
        action.add_argument("--json", action="store_true", help="print one JSON object")
    clean.add_argument("--yes", action="store_true", help="delete; without it only list")
    clean.add_argument("--all", action="store_true", help="take every file of the caches, broken or not")
    paths.add_argument("--per-rank", action="store_true", help="name a directory of its own for each local rank")


def run(options: argparse.Namespace) -> int:
    """Do what was asked and return the exit code: 1 when something broken is left."""
    if options.action == "paths":
        for line in _path_lines(cache_roots(), per_rank=options.per_rank):
            _write_line(line)
        return ExitCode.EXPLAINED
    holders = current_holders()
    reports = check_caches(_roots(options.root), holders)
    if options.action == "check":
        names = _Names()
        _print(_check_data(reports, names) if options.json else _check_lines(reports, names))
        return ExitCode.EXPLAINED if all(report.is_healthy for report in reports) else ExitCode.UNEXPLAINED
    removals = plan_all(reports) if options.all else plan_broken(reports)
    if not options.yes:
        _print(_plan_data(removals) if options.json else _plan_lines(removals))
        return ExitCode.UNEXPLAINED if removals else ExitCode.EXPLAINED
    return _sweep(removals, options)


def _sweep(removals: Sequence[Removal], options: argparse.Namespace) -> int:
    freed = kept = 0
    results: list[dict[str, Any]] = []
    for done in sweep(removals, current_holders()):
        freed += 0 if done.refused else done.removal.size
        kept += bool(done.refused)
        results.append({**_removal_data(done.removal), "refused": done.refused})
        if not options.json:
            word = f"kept     {harmless_line(done.refused)}: " if done.refused else "deleted  "
            _write_line(f"{word}{harmless_line(str(done.removal.path))}")
    if options.json:
        _print({"removed": results, "freed_bytes": freed})
    else:
        _write_line(f"{len(removals) - kept} files deleted, {_in_words(freed)} freed, {kept} kept")
    return ExitCode.UNEXPLAINED if kept else ExitCode.EXPLAINED


def _roots(arguments: Sequence[str]) -> tuple[CacheRoot, ...]:
    if not arguments:
        return cache_roots()
    roots = []
    for argument in arguments:
        kind, _, path = argument.partition("=")
        if kind not in {member.value for member in CacheKind} or not path:
            message = (
                f"--root takes KIND=DIR with KIND one of {', '.join(member.value for member in CacheKind)}: {argument}"
            )
            raise UsageError(message)
        roots.append(CacheRoot(kind=CacheKind(kind), path=Path(path).absolute(), setting="--root", chosen_by="--root"))
    return tuple(roots)


def _print(answer: dict[str, Any] | Iterator[str]) -> None:
    if isinstance(answer, dict):
        write_text(json_text(answer), None)
        return
    for line in answer:
        _write_line(line)


def _write_line(line: str) -> None:
    write_text(f"{line}\n", None)


def _state(lock: CacheLock, names: _Names) -> str:
    if lock.problem:
        label, code = names.of(Topic.BATON_LEFT)
        return f"{lock.problem} ({label}, {code})"
    return "" if lock.holder is None else f"held by {lock.holder.command}, pid {lock.holder.pid}"


class _Names:
    """The label and code by which the rules call what is broken; they are read when something is."""

    def __init__(self) -> None:
        self._rules: dict[Topic, Rule] | None = None

    def of(self, topic: Topic | None) -> tuple[str, str]:
        if self._rules is None:
            self._rules = rules_of_topics(load_ruleset())
        rule = self._rules.get(topic) if topic else None
        return (rule.label, rule.code) if rule else ("", "")


def _check_lines(reports: Sequence[CacheReport], names: _Names) -> Iterator[str]:
    for report in reports:
        head = f"{report.root.kind.value:<17}{harmless_line(str(report.root.path))}"
        if not report.exists:
            yield f"{head}  (not there)"
            continue
        owners = ", ".join(str(owner) for owner in report.owners) or "nobody"
        yield f"{head}  {report.entries:,} files, {_in_words(report.size)}, owner {owners}, by {report.root.chosen_by}"
        for entry in report.broken:
            label, code = names.of(topic_of(entry))
            problem = f"{harmless_line(entry.problem or '')} ({label}, {code})"
            yield f"  broken   {harmless_line(str(entry.path))}: {problem}"
        for lock in report.locks:
            state = _state(lock, names)
            yield f"  {'dead' if lock.problem else 'lock':<9}{harmless_line(str(lock.path))}: {harmless_line(state)}"
        for problem in report.unreadable:
            yield f"  unread   {harmless_line(problem)}"
    broken = sum(len(report.broken) + sum(bool(lock.problem) for lock in report.locks) for report in reports)
    yield f"{broken} broken; tracelens cache clean shows what would go" if broken else "nothing is provably broken"


def _check_data(reports: Sequence[CacheReport], names: _Names) -> dict[str, Any]:
    return {
        "caches": [
            {
                "kind": report.root.kind.value,
                "path": str(report.root.path),
                "chosen_by": report.root.chosen_by,
                "exists": report.exists,
                "files": report.entries,
                "bytes": report.size,
                "owners": list(report.owners),
                "broken": [_entry_data(entry, names) for entry in report.broken],
                "locks": [_lock_data(lock, names) for lock in report.locks],
                "unreadable": list(report.unreadable),
            }
            for report in reports
        ]
    }


def _entry_data(entry: CacheEntry, names: _Names) -> dict[str, Any]:
    label, code = names.of(topic_of(entry))
    return {"path": str(entry.path), "problem": entry.problem, "label": label, "code": code}


def _lock_data(lock: CacheLock, names: _Names) -> dict[str, Any]:
    label, code = names.of(Topic.BATON_LEFT) if lock.problem else (None, None)
    holder = lock.holder and lock.holder.pid
    return {"path": str(lock.path), "problem": lock.problem, "holder": holder, "label": label, "code": code}


def _plan_lines(removals: Sequence[Removal]) -> Iterator[str]:
    for removal in removals:
        yield f"would delete  {harmless_line(str(removal.path))}: {harmless_line(removal.reason)}"
    size = _in_words(sum(removal.size for removal in removals))
    yield f"{len(removals)} files, {size}; add --yes to delete them" if removals else "nothing to delete"


def _plan_data(removals: Sequence[Removal]) -> dict[str, Any]:
    return {"would_remove": [_removal_data(removal) for removal in removals]}


def _removal_data(removal: Removal) -> dict[str, Any]:
    return {"path": str(removal.path), "bytes": removal.size, "reason": removal.reason}


def _path_lines(roots: Sequence[CacheRoot], *, per_rank: bool) -> Iterator[str]:
    for root in roots:
        yield f"# {root.kind.value:<17}{harmless_line(str(root.path))}  (by {root.chosen_by})"
    own = "rank_${LOCAL_RANK:-0}" if per_rank else "$(id -un)"
    yield "# directories of one's own, for hosts and file systems that are shared:"
    for root in roots:
        if root.setting not in {"TMPDIR", "VLLM_CACHE_ROOT"}:
            base = _in_shell(str(root.path))
            yield f'export {root.setting}={base}/"{own}"'


def _in_shell(path: str) -> str:
    """Quote a path for a shell; what could act on a terminal or in CI is written out, as bash reads it."""
    if harmless_line(path) == path:
        return shlex.quote(path)
    return "$'" + "".join(f"\\x{byte:02x}" for byte in os.fsencode(path)) + "'"


def _in_words(size: int) -> str:
    number = float(size)
    for unit in _UNITS:
        if number < _UNIT or unit == _UNITS[-1]:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= _UNIT
    return ""
