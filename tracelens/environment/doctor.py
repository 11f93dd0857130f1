"""Every look at this machine, in the order in which torch.compile would come to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from tracelens.environment.caches import check_caches
from tracelens.environment.gpu import look_at_gpu
from tracelens.environment.holders import current_holders
from tracelens.environment.isolation import Probe, run_probes
from tracelens.environment.libraries import look_at_libstdcxx
from tracelens.environment.loading import look_at_torch
from tracelens.environment.observations import broken_entries, dead_locks, not_run, passed
from tracelens.environment.roots import CacheRoot, cache_roots
from tracelens.environment.storage import look_at_folder, look_at_temporary_folder, roots_to_try
from tracelens.environment.toolchain import look_at_cxx, look_at_helpers
from tracelens.environment.torch_facts import Python, ask_python
from tracelens.events import EnvironmentReport
from tracelens.findings import Check, CheckStatus
from tracelens.text import Span

_SLOW = 120.0


def examine(python: str | None, environ: Mapping[str, str], *, quick: bool = False) -> tuple[Check, ...]:
    """Look at this machine as a process with this environment would find it; ``quick`` does not import torch."""
    answer = ask_python(python, environ)
    if isinstance(answer, str):
        return (not_run("Python", answer), *run_probes(list(_without_python(environ))))
    return (*_about(answer), *run_probes(list(_probes(answer, quick=quick))))


def _about(python: Python) -> Iterator[Check]:
    torch = python.torch
    facts = {"python": python.version, "torch": torch and torch.version, "cuda": torch and torch.cuda}
    facts["triton"] = torch and torch.triton
    known = tuple((name, value) for name, value in facts.items() if value)
    report = EnvironmentReport(span=Span(line=1, end_line=1), facts=known)
    detail = f"{python.path}, {python.version}"
    yield Check(name="Python", status=CheckStatus.PASSED, detail=detail, facts=(report,))
    if torch is None:
        yield not_run("torch", f"{python.path} has none; --python names another Python")
    else:
        yield passed("torch", f"{torch.version or 'of unknown version'} in {torch.home}")


def _probes(python: Python, *, quick: bool) -> Iterator[Probe]:
    yield Probe(name="C++ compiler", look=partial(look_at_cxx, python), seconds=_SLOW)
    yield Probe(name="helpers of a build", look=partial(look_at_helpers, python), seconds=_SLOW)
    yield Probe(name="libstdc++", look=partial(look_at_libstdcxx, python))
    yield Probe(name="GPU, driver, toolkit and Triton", look=partial(look_at_gpu, python), seconds=_SLOW)
    yield Probe(name="temporary directory", look=partial(look_at_temporary_folder, python.environ))
    with_gpu = bool(python.torch and (python.torch.cuda or python.torch.hip))
    for root in roots_to_try(python.environ, with_gpu=with_gpu):
        yield Probe(name=f"{root.kind.value} cache directory", look=partial(look_at_folder, root, python))
    yield Probe(name="cache entries", look=partial(_look_at_caches, cache_roots(python.environ)), seconds=_SLOW)
    if not quick:
        yield Probe(name="torch loads", look=partial(look_at_torch, python), seconds=_SLOW)


def _without_python(environ: Mapping[str, str]) -> Iterator[Probe]:
    yield Probe(name="temporary directory", look=partial(look_at_temporary_folder, environ))
    yield Probe(name="cache entries", look=partial(_look_at_caches, cache_roots(environ)), seconds=_SLOW)


def _look_at_caches(roots: Sequence[CacheRoot]) -> Sequence[Check]:
    name = "cache entries"
    reports = check_caches(roots, current_holders())
    facts = (*broken_entries(reports), *dead_locks(lock for report in reports for lock in report.locks))
    unread = [problem for report in reports for problem in report.unreadable]
    files = sum(report.entries for report in reports)
    if facts:
        detail = facts[0].message if len(facts) == 1 else f"{len(facts)} of {files:,} files, first {facts[0].message}"
        return (Check(name=name, status=CheckStatus.FAILED, detail=detail, facts=facts),)
    if unread:
        return (not_run(name, f"{len(unread)} cannot be read, first {unread[0]}"),)
    return (passed(name, f"{files:,} files, none is provably broken"),)
