"""What a look at the machine saw, as checks to be shown and observations that rules know.

A broken entry of a cache and a dead lock are facts of the machine; what they
mean, and what to do, is written in the rules alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracelens.environment.caches import CacheReport
from tracelens.environment.entries import CacheEntry
from tracelens.environment.locks import CacheLock
from tracelens.environment.roots import CacheKind
from tracelens.events import Observation
from tracelens.findings import Check, CheckStatus
from tracelens.text import Span
from tracelens.topics import Topic

_NOWHERE = Span(line=1, end_line=1)
_KERNELS = frozenset({".cubin", ".hsaco"})
_LIBRARIES = frozenset({".so", ".pyd", ".o"})
_SOURCES = frozenset({".cpp", ".ptx", ".ttir", ".ttgir", ".llir", ".gch"})
_DATA = frozenset({".json", ".best_config"})


def observe(topic: Topic, message: str, /, *, fatal: bool = True, **facts: str) -> Observation:
    """Return an observation that says no line of any log."""
    return Observation(span=_NOWHERE, topic=topic, message=message, facts=tuple(facts.items()), fatal=fatal)


def passed(name: str, detail: str) -> Check:
    """Return a look that found nothing wrong."""
    return Check(name=name, status=CheckStatus.PASSED, detail=detail)


def not_run(name: str, why: str) -> Check:
    """Return a look that could not be taken."""
    return Check(name=name, status=CheckStatus.NOT_RUN, detail=why)


def failed(name: str, detail: str, topic: Topic, /, *, fatal: bool = True, **facts: str) -> Check:
    """Return a look that found something wrong."""
    fact = observe(topic, f"{name}: {detail}", fatal=fatal, **facts)
    return Check(name=name, status=CheckStatus.FAILED, detail=detail, facts=(fact,))


def broken_entries(reports: Iterable[CacheReport]) -> Iterator[Observation]:
    """Yield what is provably broken in the caches."""
    for report in reports:
        for entry in report.broken:
            topic = topic_of(entry)
            if topic is not None:
                yield observe(
                    topic,
                    f"{entry.path}: {entry.problem}",
                    fatal=topic is not Topic.BROKEN_GRAPH_ENTRY,
                    path=str(entry.path),
                    reason=entry.problem or "broken",
                )


def maps_into_memory(observation: Observation) -> bool:
    """Tell whether what is broken is loaded by the processor, which ends a process without a word."""
    return observation.topic in {Topic.BROKEN_LIBRARY, Topic.BROKEN_KERNEL}


def sound_caches(reports: Iterable[CacheReport]) -> Observation:
    """Return that nothing of the kind is broken, which takes the caches out of suspicion."""
    files = sum(report.entries for report in reports)
    return observe(Topic.SOUND_CACHES, f"no library or kernel in the compile caches is broken ({files:,} files)")


def dead_locks(locks: Iterable[CacheLock]) -> Iterator[Observation]:
    """Yield the batons that nobody holds."""
    for lock in locks:
        if lock.problem:
            yield observe(Topic.BATON_LEFT, f"{lock.path}: {lock.problem}", path=str(lock.path))


def held_locks(locks: Iterable[CacheLock], own: Iterable[int] = ()) -> Iterator[Observation]:
    """Yield the locks that living processes hold, other than some of our own."""
    family = frozenset(own)
    for lock in locks:
        holder = lock.holder
        if holder is None or holder.pid in family or (holder.how != "lock" and lock.path.suffix == ".lock"):
            continue
        who = f"{holder.command}, pid {holder.pid}"
        yield observe(Topic.LOCK_HELD, f"{lock.path}: held by {who}", path=str(lock.path), holder=who)


def topic_of(entry: CacheEntry) -> Topic | None:
    """Return what a broken entry is a case of, ``None`` where no rule knows its kind."""
    suffix = entry.path.suffix
    if suffix in _LIBRARIES:
        return Topic.BROKEN_LIBRARY
    if suffix in _KERNELS:
        return Topic.BROKEN_KERNEL
    if suffix == ".py":
        return Topic.EMPTY_MODULE if entry.problem == "empty" else Topic.BROKEN_MODULE
    if suffix in _DATA:
        return Topic.MISSING_MEMBER if (entry.problem or "").endswith("missing") else Topic.BROKEN_METADATA
    if suffix in _SOURCES:
        return Topic.BROKEN_SOURCE
    return Topic.BROKEN_GRAPH_ENTRY if entry.kind is CacheKind.INDUCTOR else None
