"""One structured trace of one process: from its records to events and a timeline.

Compile ids tie the records together: the reasons of a recompile come before the
compilation, graph breaks, caches and errors within it, its seconds at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tracelens.artifacts.failures import (
    FailureReader,
    Printed,
    carried,
    printed_in,
    read_limit,
    status_of,
    with_header,
)
from tracelens.artifacts.graph_breaks import read_break, skips_frame, text_of_break
from tracelens.artifacts.headers import (
    compile_id_of,
    failure_in_words,
    payload_json,
    payload_text,
    read_context,
    spelled,
)
from tracelens.artifacts.metrics import phases_of, read_header, seconds_of, start_of, text_of, total_of, whole_of
from tracelens.artifacts.names import innermost_frame
from tracelens.artifacts.phases import innermost_open
from tracelens.artifacts.raw import RawRecords
from tracelens.artifacts.reasons import Reasons, read_reasons
from tracelens.artifacts.records import TraceReader, TraceRecord
from tracelens.artifacts.scripts import read_script
from tracelens.artifacts.timeline import CompileEntry, TimelineBuilder
from tracelens.events import (
    CacheMessage,
    Compiled,
    CompileId,
    EnvironmentReport,
    Event,
    GraphBreak,
    Level,
    Recompile,
    RecordHeader,
    Unfinished,
)
from tracelens.expressions import expression
from tracelens.record import replace
from tracelens.text import Process, Region, Span
from tracelens.timeline import CompileStatus, PhaseName

_STAGES = {PhaseName.DYNAMO: "dynamo", PhaseName.AOT_AUTOGRAD: "aot_autograd", PhaseName.INDUCTOR: "inductor"}
_VERSIONS = (
    ("pytorch_version", "torch"),
    ("triton_version", "triton"),
    ("cuda_version", "cuda"),
    ("python_version", "python"),
)
_RANK = expression(r"_rank_(\d{1,6})_[^/\\]*$")
_SCRIPT_READ = 20_000
_MAX_BREAKS = 4096
_MAX_TOLD = 1000


class _Open:
    """A compilation that has begun: its entry, and what waits for its end."""

    __slots__ = ("entry", "error", "reasons", "recompiled", "stack", "traced")

    def __init__(self, entry: CompileEntry) -> None:
        self.entry = entry
        self.stack: bytes | None = None
        self.traced = False
        self.recompiled = False
        self.reasons: Reasons | None = None
        self.error: TraceRecord | None = None


class TraceFacts:
    """Reads the records of one trace file."""

    def __init__(
        self, source: str, base: int, timeline: TimelineBuilder, keep: Callable[[Region], None], *, name_pids: bool
    ) -> None:
        """Take what the lines are counted from, and where timeline and raw lines go.

        ``name_pids`` tells processes without a rank apart by their number.
        """
        self._source = source
        self._base = base
        self._timeline = timeline
        self._raw = RawRecords(base, keep)
        self._name_pids = name_pids
        named = _RANK.search(source)
        self._rank = int(named[1]) if named else None
        self._open: dict[tuple[int, str], _Open] = {}
        self._closed: dict[tuple[int, str], CompileEntry] = {}
        self._frames: dict[tuple[int, int], tuple[str | None, str | None]] = {}
        self._failures = FailureReader()
        self._held: list[tuple[CompileEntry, tuple[Event, ...]]] = []
        self._breaks: dict[bytes, GraphBreak] = {}
        self._told: set[object] = set()

    def read(self, reader: TraceReader) -> Iterator[Event]:
        """Yield the events of a trace, read to its end."""
        for record in reader.records():
            yield from self._take(record)
        yield from self._end(reader)

    def _take(self, record: TraceRecord) -> Iterator[Event]:
        name = record.name
        header = read_header(record.header) if name.endswith("compilation_metrics") else read_context(record.header)
        if not header:
            return
        rank = whole_of(header.get("rank"))
        self._rank = self._rank if rank is None else rank
        if name == "torch_version":
            yield from self._environment(payload_json(record), record)
        elif name.endswith("compilation_metrics"):
            yield from self._metrics(header, record)
        elif (compile_id := compile_id_of(header)) is not None:
            yield from self._of_compilation(name, compile_id, header, record)

    def _of_compilation(
        self, name: str, compile_id: CompileId, header: dict[str, Any], record: TraceRecord
    ) -> Iterator[Event]:
        if name == "dynamo_start":
            yield from self._begin(compile_id, record, header)
        elif name == "recompile_reasons":
            self._opened(compile_id, record).reasons = read_reasons(record, self._base, self._process(record))
            self._raw.record(record)
        elif name == "dynamo_graph_break_reason":
            yield self._graph_break(compile_id, record)
        elif name == "dynamo_error":
            opened = self._open.get((record.pid, spelled(compile_id)))
            if opened is not None:
                opened.error = record
        elif name == "fx_graph_runnable":
            yield from self._runnable(compile_id, record)
        elif "_cache_" in name:
            yield from self._cache(name, compile_id, record)

    def _opened(self, compile_id: CompileId, record: TraceRecord) -> _Open:
        key = record.pid, spelled(compile_id)
        known = self._open.get(key)
        if known is None:
            process = self._process(record)
            entry = CompileEntry(key[1], process.name if process else None, self._source, record.line)
            known = self._open[key] = _Open(entry)
        return known

    def _entry(self, compile_id: CompileId, record: TraceRecord) -> CompileEntry:
        """Return the compilation that a record is about; a backward graph is compiled after its forward one ended."""
        key = record.pid, spelled(compile_id)
        if key not in self._open and key in self._closed:
            return self._closed[key]
        return self._opened(compile_id, record).entry

    def _begin(self, compile_id: CompileId, record: TraceRecord, header: dict[str, Any]) -> Iterator[Event]:
        opened = self._opened(compile_id, record)
        attempt = whole_of(header.get("attempt")) or 0
        if opened.traced and attempt == 0:
            # The one before never ended, and the program went on to another frame of the same number.
            self._timeline.add_compilation(self._open.pop((record.pid, opened.entry.compile_id)).entry)
            opened = self._opened(compile_id, record)
        opened.traced = True
        opened.stack = record.header
        opened.entry.attempts = attempt + 1
        yield from self._release(went_on=True)

    def _graph_break(self, compile_id: CompileId, record: TraceRecord) -> Event:
        key = record.pid, spelled(compile_id)
        payload = record.payload
        known = self._breaks.get(payload)
        if known is None:
            known = read_break(text_of_break(payload), Span(line=1, end_line=1))
            if len(self._breaks) < _MAX_BREAKS:
                self._breaks[payload] = known
        first = self._base + record.line
        found = replace(
            known,
            span=Span(line=first, end_line=first + 1 + known.message.count("\n")),
            process=self._process(record),
            record=self._header(compile_id, Level.DEBUG, "graph_breaks"),
        )
        ended = key not in self._open
        entry = self._entry(compile_id, record)
        entry.graph_breaks += 1
        if ended and skips_frame(found):
            entry.status = CompileStatus.SKIPPED
            self._held = [held for held in self._held if held[0] is not entry]
        self._timeline.add_break(entry, found)
        self._raw.beginning(record, found.message)
        return found

    def _runnable(self, compile_id: CompileId, record: TraceRecord) -> Iterator[Event]:
        """Take note of where the script of a graph stands; the first one also tells of the machine."""
        entry = self._entry(compile_id, record)
        entry.runnable_line = entry.runnable_line or record.line
        if "runnable" in self._told:
            return
        self._told.add("runnable")
        first = self._base + record.line
        text = payload_text(record)
        for event in read_script("fx_graph_runnable.py", text[:_SCRIPT_READ], first):
            yield replace(event, process=self._process(record))

    def _cache(self, name: str, compile_id: CompileId, record: TraceRecord) -> Iterator[Event]:
        cache, _, status = name.partition("_cache_")
        # The status stands first; the components of the key behind it fill a hundred kilobytes.
        details = payload_json(record) if len(record.payload) < 4096 or status == "bypass" else {}
        entry = self._entry(compile_id, record)
        entry.hits += status == "hit"
        entry.misses += status == "miss"
        saved = seconds_of(details, "time_saved") or 0.0
        reason = text_of(details.get("cache_bypass_reason"))
        self._timeline.add_cache(cache, status, saved=saved, reason=reason)
        if reason:
            line = self._base + record.line
            self._raw.text(record.line, reason)
            yield CacheMessage(
                span=Span(line=line, end_line=line),
                process=self._process(record),
                record=self._header(compile_id, Level.DEBUG, None),
                message=f"{cache} cache bypassed: {reason}",
            )

    def _metrics(self, header: dict[str, Any], record: TraceRecord) -> Iterator[Event]:
        metrics = header.get(record.name)
        if not isinstance(metrics, dict):
            return
        yield from self._environment(metrics, record)
        compile_id = compile_id_of(header)
        if compile_id is None:
            return
        key = record.pid, spelled(compile_id)
        if record.name.startswith("bwd_"):
            entry = self._closed.get(key)
            seconds = seconds_of(metrics, "backward_cumulative_compile_time") or total_of(metrics)
            if entry is not None and seconds is not None:
                entry.add_backward(seconds)
            return
        opened = self._opened(compile_id, record)
        del self._open[key]
        yield from self._close(opened, compile_id, metrics, record)

    def _close(
        self, opened: _Open, compile_id: CompileId, metrics: dict[str, Any], record: TraceRecord
    ) -> Iterator[Event]:
        entry = opened.entry
        entry.function = text_of(metrics.get("co_name"), 200)
        file, line = text_of(metrics.get("co_filename"), 1000), whole_of(metrics.get("co_firstlineno"))
        entry.location = f"{file}:{line}" if file and line is not None else None
        # Where the limit on recompiles is reached, torch no longer says what function it is.
        frame = record.pid, compile_id.frame_id
        if entry.function is None:
            entry.function, entry.location = self._frames.get(frame, (None, None))
        self._frames[frame] = entry.function, entry.location
        entry.started, entry.seconds = start_of(metrics), total_of(metrics)
        entry.phases = phases_of(metrics)
        entry.status = status_of(metrics)
        entry.failure = failure_in_words(metrics)
        self._timeline.add_compilation(entry)
        self._closed[record.pid, entry.compile_id] = entry
        yield from self._recompiled(opened, compile_id, record)
        if entry.status is CompileStatus.COMPILED:
            yield from self._compiled(entry, record)
        elif entry.status is CompileStatus.RECOMPILE_LIMIT:
            yield self._limit(opened, compile_id, metrics, record)
        elif entry.status is CompileStatus.FAILED:
            yield from self._failed(opened, compile_id, metrics, record)

    def _recompiled(self, opened: _Open, compile_id: CompileId, record: TraceRecord) -> Iterator[Event]:
        reasons, entry = opened.reasons, opened.entry
        if reasons is None or not reasons.guards:
            return
        self._timeline.add_recompile(entry, reasons.guards[0])
        yield Recompile(
            span=reasons.span,
            process=self._process(record),
            record=self._header(compile_id, Level.DEBUG, "recompiles"),
            function=entry.function or "?",
            location=entry.location,
            guards=reasons.guards,
        )

    def _compiled(self, entry: CompileEntry, record: TraceRecord) -> Iterator[Event]:
        stages = tuple(_STAGES[phase.name] for phase in entry.phases if phase.name in _STAGES)
        if stages not in self._told:
            self._told.add(stages)
            line = self._base + record.line
            yield Compiled(
                span=Span(line=line, end_line=line),
                process=self._process(record),
                function=entry.function,
                stages=stages,
            )

    def _limit(self, opened: _Open, compile_id: CompileId, metrics: dict[str, Any], record: TraceRecord) -> Event:
        line = self._base + record.line
        span = opened.reasons.span if opened.reasons else Span(line=line, end_line=line)
        guards = opened.reasons.guards if opened.reasons else ()
        header = self._header(compile_id, Level.WARNING, None)
        if opened.reasons is None:
            self._raw.failure(record)
        found = read_limit(metrics, span, self._process(record), header, guards)
        place = f" ({opened.entry.location})" if opened.entry.location else ""
        return replace(found, function=f"{opened.entry.function or '?'}{place}")

    def _failed(
        self, opened: _Open, compile_id: CompileId, metrics: dict[str, Any], record: TraceRecord
    ) -> Iterator[Event]:
        error = opened.error
        if error is not None:
            self._raw.record(error, whole=True)
            printed: Printed | None = Printed(text=payload_text(error), line=self._base + error.line + 1)
        else:
            printed = printed_in(metrics, self._base + record.line)
            self._raw.failure(record)
            if text_of(metrics.get("fail_type")) == "Unsupported":
                # Without fullgraph torch gives up the frame, and only an error record tells that it did not.
                opened.entry.status = CompileStatus.SKIPPED
                return
        header = self._header(compile_id, Level.ERROR, None)
        events = self._failures.read(printed, self._process(record), header) if printed else ()
        if metrics.get("config_suppress_errors") is True:
            yield from (with_header(event, carried(header, went_on=True)) for event in events)
            return
        self._held.append((opened.entry, events))

    def _release(self, *, went_on: bool) -> Iterator[Event]:
        """Yield failures whose end is known by now: the program compiled something else, or the trace ended."""
        held, self._held = self._held, []
        for _, events in held:
            for event in events:
                record = event.record
                yield with_header(event, carried(record, went_on=went_on)) if record else event

    def _end(self, reader: TraceReader) -> Iterator[Event]:
        yield from self._release(went_on=False)
        last = self._base + max(1, reader.lines)
        for (_, name), opened in self._open.items():
            if opened.stack is None:
                continue
            entry = opened.entry
            entry.function, entry.location = innermost_frame(read_header(opened.stack), reader.names)
            self._timeline.add_compilation(entry)
            entry.ended_in = innermost_open(reader.tail, name)
            where = f" ({entry.location})" if entry.location else ""
            step = f", in {entry.ended_in}" if entry.ended_in else ""
            message = (
                f"The trace ends inside the compilation {name} of {entry.function or '?'}{where}{step}: "
                f"the process was killed there, or is still compiling."
            )
            yield Unfinished(span=Span(line=last, end_line=last), process=self._named(None), message=message)

    def _environment(self, found: dict[str, Any], record: TraceRecord) -> Iterator[Event]:
        versions = tuple([text_of(found.get(key), 200) for key, _ in _VERSIONS])
        if versions in self._told or len(self._told) > _MAX_TOLD:
            return
        self._told.add(versions)
        facts = tuple(
            (name, text.split()[0])
            for (_, name), text in zip(_VERSIONS, versions, strict=True)
            if text and not text.isspace()
        )
        if facts:
            line = self._base + record.line
            yield EnvironmentReport(span=Span(line=line, end_line=line), process=self._process(record), facts=facts)

    def _process(self, record: TraceRecord) -> Process | None:
        return self._named(record.pid)

    def _named(self, pid: int | None) -> Process | None:
        if self._rank is not None:
            return Process(name=f"rank {self._rank}", rank=self._rank, pid=pid)
        return Process(name=f"pid {pid}", pid=pid) if self._name_pids and pid is not None else None

    def _header(self, compile_id: CompileId, level: Level, artifact: str | None) -> RecordHeader:
        return RecordHeader(level=level, compile_id=compile_id, artifact=artifact)
