"""The words for what a timeline holds, the same in every report."""

from __future__ import annotations

from tracelens.report.harmless import harmless_line
from tracelens.timeline import CacheUse, Compilation, CompileStatus, PhaseName, RecompileGroup

PHASE_NAMES = {
    PhaseName.DYNAMO: "Dynamo",
    PhaseName.AOT_AUTOGRAD: "AOTAutograd",
    PhaseName.INDUCTOR: "Inductor",
    PhaseName.CODE: "code",
    PhaseName.BACKWARD: "backward",
}
STATUS_WORDS = {
    CompileStatus.COMPILED: "",
    CompileStatus.FAILED: "failed",
    CompileStatus.SKIPPED: "runs eagerly",
    CompileStatus.RECOMPILE_LIMIT: "limit reached, runs eagerly",
    CompileStatus.UNFINISHED: "never finished",
}


def subject_of(group: RecompileGroup) -> str:
    """Return what the guard looks at: a tensor and its dimension, else the guard itself."""
    if group.subject is None:
        return group.guard
    return group.subject if group.dimension is None else f"{group.subject}, dimension {group.dimension}"


def cache_in_words(cache: CacheUse) -> str:
    """Say how often a cache had what was asked for."""
    parts = [
        f"{cache.hits} hit{'s' if cache.hits != 1 else ''}",
        f"{cache.misses} miss{'es' if cache.misses != 1 else ''}",
    ]
    if cache.bypasses:
        reason = f" ({cache.bypass_reasons[0]})" if cache.bypass_reasons else ""
        parts.append(f"{cache.bypasses} bypassed{reason}")
    if cache.saved_seconds:
        parts.append(f"{in_seconds(cache.saved_seconds)} saved")
    return f"{cache.cache}: {', '.join(parts)}"


def id_of(item: Compilation) -> str:
    """Return the compile id, with the process where there are several."""
    return harmless_line(f"{item.process} {item.compile_id}"[:24] if item.process else item.compile_id)


def name_of(item: Compilation) -> str:
    """Return the function that was compiled, and its place without folders."""
    place = f" {short_place(item.location)}" if item.location else ""
    return harmless_line(f"{item.function or '?'}{place}")


def short_place(location: str | None) -> str:
    """Return a place without its folders."""
    return (location or "").replace("\\", "/").rpartition("/")[2]


def in_seconds(seconds: float) -> str:
    """Return a time in the unit that reads best."""
    if seconds < 0.0995:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 10:
        return f"{seconds:.2f} s"
    return f"{seconds:.1f} s" if seconds < 600 else f"{seconds / 60:.1f} min"
