"""All artifacts that belong together: their events, one timeline, and whose line is whose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tracelens.artifacts.debug_folders import DebugFolders
from tracelens.artifacts.kinds import ArtifactKind, kind_of
from tracelens.artifacts.records import TraceReader
from tracelens.artifacts.scripts import read_script
from tracelens.artifacts.timeline import TimelineBuilder
from tracelens.artifacts.trace import TraceFacts
from tracelens.errors import InputError
from tracelens.events import Event, Recompile, Unfinished
from tracelens.findings import Diagnostic
from tracelens.parsing import parse_strand
from tracelens.source import Feed, Input, split_strands
from tracelens.text import Documents, Region, Span
from tracelens.timeline import Timeline

#: Lines between two inputs, so that no rule sees them as neighbours.
_GAP = 10_000
#: What is read of an artifact that is no trace.
_MAX_TEXT = 8 << 20
_PIECE = 1 << 16


class ArtifactReading:
    """Reads artifacts one after the other; ``keep`` takes the raw lines that evidence may show."""

    def __init__(self, lines: int, keep: Callable[[Region], None], known: Iterable[Event] = ()) -> None:
        """Begin behind a log of so many lines; ``known`` are its events."""
        self.documents = Documents()
        self.remarks: list[Diagnostic] = []
        #: Lines of artifacts, all together.
        self.lines = 0
        self._next = lines
        self._keep = keep
        self._timeline = TimelineBuilder()
        self._folders = DebugFolders()
        self._bases: dict[str, int] = {}
        #: A rule counts recompiles, and those of the log are those of the trace.
        self._known = {_identity(event) for event in known if isinstance(event, Recompile)}

    @property
    def timeline(self) -> Timeline | None:
        """What the traces tell; ``None`` where there was none."""
        return None if self._timeline.is_empty else self._timeline.build()

    def read(self, inputs: Sequence[Input]) -> Iterator[Event]:
        """Yield the events of every artifact; one that cannot be read is told of and left out."""
        several = sum("torch_trace" in entry.name for entry in inputs) > 1
        for entry in inputs:
            for event in self._opened(entry, name_pids=several):
                if not (isinstance(event, Recompile) and _identity(event) in self._known):
                    yield event
        yield from self._unfinished()

    def _opened(self, entry: Input, *, name_pids: bool) -> Iterator[Event]:
        try:
            with entry.open() as feed:
                yield from self._one(entry.name, feed, name_pids=name_pids)
                self.remarks += feed.remarks
        except InputError as error:
            self._remark("artifact-unreadable", str(error))

    def _one(self, name: str, feed: Feed, *, name_pids: bool) -> Iterator[Event]:
        self._folders.add(name)
        kind = kind_of(name, feed.head)
        base = self._next + _GAP
        if kind is ArtifactKind.GRAPH_FILE:
            return
        self.documents.begin(name, base)
        self._bases[name] = base
        if kind is ArtifactKind.TRACE:
            self._timeline.add_source(name)
            reader = TraceReader(feed)
            yield from TraceFacts(name, base, self._timeline, self._keep, name_pids=name_pids).read(reader)
            lines = reader.lines
            if reader.cut:
                self._remark("trace-record-cut", f"{name}: {reader.cut} records were too large and were read in part")
        else:
            text, complete = _text_of(feed)
            lines = text.count("\n") + 1
            if not complete:
                self._remark("artifact-cut", f"{name}: only the first {_MAX_TEXT >> 20} MiB were read")
            yield from self._text(kind, name, text, base)
        self._next = base + lines
        self.lines += lines

    def _text(self, kind: ArtifactKind, name: str, text: str, base: int) -> Iterator[Event]:
        region = Region(first_line=base + 1, text=text)
        self._keep(region)
        if kind is ArtifactKind.SCRIPT:
            yield from read_script(name, text, base)
            return
        for strand in split_strands(region):
            yield from parse_strand(strand).every_event()

    def _unfinished(self) -> Iterator[Event]:
        for name, message in self._folders.unfinished():
            base = self._bases.get(name)
            if base is not None:
                yield Unfinished(span=Span(line=base + 1, end_line=base + 1), message=message)

    def _remark(self, code: str, message: str) -> None:
        self.remarks.append(Diagnostic(code=code, message=message))


def _identity(event: Recompile) -> tuple[object, ...]:
    return event.record.compile_id if event.record else None, event.function


def _text_of(feed: Feed) -> tuple[str, bool]:
    """Return the beginning of a text, and whether that is all of it."""
    content = bytearray()
    piece = memoryview(bytearray(_PIECE))
    while count := feed.readinto(piece):
        content += piece[:count]
        if len(content) > _MAX_TEXT:
            return content[:_MAX_TEXT].decode("utf-8", "surrogateescape"), False
    return content.decode("utf-8", "surrogateescape"), True
