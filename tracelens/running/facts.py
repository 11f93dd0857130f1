"""What is known of a command's end beside what it printed, as facts for the engine.

A process that is killed by SIGBUS, SIGSEGV or SIGKILL prints nothing. Its
signal, the caches it used, the kernel's count of processes killed for lack
of memory and the locks in its way speak for it.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator, Mapping
from functools import partial

from tracelens.environment.caches import check_caches, find_locks, outermost
from tracelens.environment.holders import current_holders
from tracelens.environment.isolation import Probe, run_probes
from tracelens.environment.memory import MemoryKills, count_memory_kills
from tracelens.environment.observations import (
    broken_entries,
    dead_locks,
    held_locks,
    maps_into_memory,
    observe,
    passed,
    sound_caches,
)
from tracelens.environment.roots import CacheKind, CacheRoot, cache_roots
from tracelens.environment.storage import look_for_noexec
from tracelens.events import EnvironmentReport, MachineFact, Observation, ProcessExit
from tracelens.findings import Check, CheckStatus
from tracelens.record import replace
from tracelens.running.command import Ended
from tracelens.running.copying import BoundedCopy
from tracelens.running.family import Family
from tracelens.text import Span
from tracelens.topics import Topic

_NOWHERE = Span(line=1, end_line=1)
#: Signals of a processor that met what it could not read or run.
_CRASHES = frozenset({"SIGBUS", "SIGSEGV", "SIGILL", "SIGABRT"})
#: A launcher reports the signal that ended one of its workers; its own code says nothing of it.
_REPORTED_CRASH = re.compile(rb"SIG(?:BUS|SEGV|ILL)\b|Bus error|Segmentation fault|exitcode *: -(?:4|7|11)\b")
_REPORTED_KILL = re.compile(rb"SIGKILL\b|(?<![\w.])Killed\b|exitcode *: -9\b|\b137\b")
#: More broken files than this say no more.
_MOST = 3
#: A network file system may not answer.
_SECONDS = 5.0
#: Variables that everybody has: they say where caches are, and nothing more.
_ORDINARY = re.compile("HOME|USER|LOGNAME|LNAME|USERNAME")
_WHERE_TO_LOOK = 256 * 1024


class Watcher:
    """Asks the machine about a command that is silent or has ended."""

    def __init__(self, settings: Mapping[str, str], kills: MemoryKills) -> None:
        """Take the variables that the command got beside ours, and the kernel's counts from before it."""
        self._settings = settings
        self._kills = kills
        self._in_the_way: tuple[Observation, ...] = ()

    def judge_silence(self, family: Family) -> bool:
        """Tell whether a silent command provably waits for a lock of a cache; only then it has to be ended."""
        if not family.is_idle() or not family.polls():
            return False
        locks = find_locks(self._roots(family), current_holders())
        self._in_the_way = (*dead_locks(locks), *held_locks(locks, family.members()))[:_MOST]
        return bool(self._in_the_way)

    def facts(self, ended: Ended, family: Family, copy: BoundedCopy) -> tuple[MachineFact, ...]:
        """Return everything that a bad end leaves on the machine."""
        facts: list[MachineFact] = []
        if family.versions:
            facts.append(EnvironmentReport(span=_NOWHERE, facts=tuple(sorted(family.versions.items()))))
        if ended.hung:
            return (*facts, *self._in_the_way)
        if ended.exit_code == 0:
            return tuple(facts)
        last = _last_bytes(copy)
        facts.append(_exit(ended))
        if _signal_name(ended) in _CRASHES or _REPORTED_CRASH.search(last):
            reports = check_caches(self._roots(family), current_holders())
            # A process that dies without a word does not say which file it was that it loaded.
            found = [replace(entry, proven=False) for entry in broken_entries(reports) if maps_into_memory(entry)]
            facts += found[:_MOST] or [sound_caches(reports)]
        facts += self._noexec(family)
        killed = _signal_name(ended) == "SIGKILL" or bool(_REPORTED_KILL.search(last))
        facts += _memory_kill(self._kills, count_memory_kills(), killed=killed)
        return tuple(facts)

    def checks(self, ended: Ended, family: Family) -> tuple[Check, ...]:
        """Return what was seen of the command itself: its end, its caches, and the settings that torch heeds."""
        how = f"ended by {_name(ended.signal)}" if ended.signal else f"exit code {ended.exit_code}"
        hung = ", for it hung" if ended.hung else ""
        status = CheckStatus.FAILED if ended.exit_code else CheckStatus.PASSED
        seen = [Check(name="command", status=status, detail=f"{how} after {ended.seconds:.1f} s{hung}")]
        seen += [
            passed(f"{root.kind.value} cache directory", f"{root.path} (by {root.chosen_by})")
            for root in outermost(self._roots(family))
        ]
        settings = {
            f"{name}={value}"
            for environment in family.environments
            for name, value in environment.items()
            if not _ORDINARY.fullmatch(name)
        }
        return (*seen, passed("settings", " ".join(sorted(settings)) or "none"))

    def _noexec(self, family: Family) -> Iterator[MachineFact]:
        """Look whether libraries may be loaded from the caches: nothing that fails of it says so."""
        roots = [root for root in self._roots(family) if root.kind is CacheKind.INDUCTOR]
        probes = [Probe(name="cache", look=partial(look_for_noexec, root), seconds=_SECONDS) for root in roots]
        for check in run_probes(probes):
            yield from check.facts

    def _roots(self, family: Family) -> list[CacheRoot]:
        environments = family.environments or [{**os.environ, **self._settings}]
        return [root for environment in environments for root in cache_roots(environment)]


def _exit(ended: Ended) -> ProcessExit:
    name = _signal_name(ended)
    if ended.signal is not None:
        message = f"the command was ended by {name or ended.signal} ({signal.strsignal(ended.signal)})"
        return ProcessExit(span=_NOWHERE, message=message, signal=name)
    stands_for = f", which stands for {name}" if name else ""
    message = f"the command exited with code {ended.exit_code}{stands_for}"
    return ProcessExit(span=_NOWHERE, message=message, signal=name, exit_code=ended.exit_code)


def _signal_name(ended: Ended) -> str | None:
    if ended.signal is None:
        # A shell between us reports the signal of its child in its own exit code.
        return _name(ended.exit_code - 128) if ended.exit_code > 128 else None
    return _name(ended.signal)


def _name(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _memory_kill(before: MemoryKills, after: MemoryKills, *, killed: bool) -> Iterator[Observation]:
    where = {"group": "memory.events of its control group", "machine": "/proc/vmstat"}
    for name in ("group", "machine"):
        one, other = getattr(before, name), getattr(after, name)
        # The machine's count may have risen for somebody else's process.
        if one is not None and other is not None and other > one and (killed or name == "group"):
            counts = f"oom_kill {one} -> {other} in {where[name]}"
            message = f"the kernel killed a process for lack of memory while the command ran: {counts}"
            yield observe(Topic.MEMORY_KILL, message)
            return


def _last_bytes(copy: BoundedCopy) -> bytes:
    last = b""
    for part in copy.parts():
        last = (last + part)[-_WHERE_TO_LOOK:]
    return last
