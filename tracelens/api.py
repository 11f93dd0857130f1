"""The whole pipeline: one log in, one answer out; many answers in, one verdict.

``analyze_feed`` reads any amount in bounded memory. Nothing here prints,
asks the clock or touches the machine; a log never raises, only an input that
cannot be read and a rule file that is wrong do.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from tracelens.engine.diagnose import Reading, diagnose
from tracelens.engine.raw import RawLines
from tracelens.engine.store import EventStore
from tracelens.events import ArtifactPath, EnvironmentReport, MachineFact
from tracelens.findings import Check, Coverage, Diagnosis, Diagnostic
from tracelens.parsing import Memory, parse_strand
from tracelens.record import replace
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.compiled import RuleSet
from tracelens.scan import ScanLedger, ScanOptions, find_regions
from tracelens.source import Input, split_strands
from tracelens.text import REPORT_MARK, Region, Span
from tracelens.typed import Protocol, overload

__all__ = [
    "LogFeed",
    "analyze_artifacts",
    "analyze_beside",
    "analyze_checks",
    "analyze_feed",
    "analyze_text",
    "combine",
]

_DEFAULT_SCAN = ScanOptions()


class LogFeed(Protocol):
    """What a log is read from: UTF-8 bytes, and remarks on how reading went."""

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What was wrong with the input, complete once it was read."""

    def readinto(self, view: memoryview, /) -> int:
        """Fill the view from its beginning; return how much, 0 at the end only."""


class _TextFeed:
    """Text that is already in memory."""

    remarks: tuple[Diagnostic, ...] = ()

    def __init__(self, text: str) -> None:
        try:
            # Undecodable bytes of a log stand in a text as lone surrogates.
            content = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            content = text.encode("utf-8", "surrogatepass")
        self._bytes = io.BytesIO(content)

    def readinto(self, view: memoryview, /) -> int:
        return self._bytes.readinto(view)


class _Anchors(Sequence[str]):
    """What the scan looks for; derived when an input is large enough to need it."""

    def __init__(self, ruleset: RuleSet) -> None:
        self._ruleset = ruleset
        self._anchors: tuple[str, ...] | None = None

    def _all(self) -> tuple[str, ...]:
        if self._anchors is None:
            from tracelens.parsing.anchors import ANCHORS

            self._anchors = tuple(dict.fromkeys((*ANCHORS, *self._ruleset.anchors)))
        return self._anchors

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._all()[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())


def analyze_text(
    text: str,
    ruleset: RuleSet | None = None,
    *,
    source: str = "-",
    facts: Sequence[MachineFact] = (),
    excerpt_room: int = 0,
) -> Diagnosis:
    """Diagnose a log that is in memory; ``None`` stands for our own rules."""
    rules = load_ruleset() if ruleset is None else ruleset
    return analyze_feed(_TextFeed(text), rules, source=source, facts=facts, excerpt_room=excerpt_room)


def analyze_feed(  # noqa: PLR0913 - each is a choice of its own
    feed: LogFeed,
    ruleset: RuleSet,
    *,
    source: str = "-",
    options: ScanOptions = _DEFAULT_SCAN,
    facts: Sequence[MachineFact] = (),
    excerpt_room: int = 0,
) -> Diagnosis:
    """Diagnose one log, read to its end, and what is known of its machine.

    Facts stand below the log, a line each. The answer carries up to
    ``excerpt_room`` characters of the log. Raises ``InputError`` when nothing
    of the input can be read.
    """
    gathered = _Gathered(source, excerpt_room)
    gathered.read_log(feed, ruleset, options)
    gathered.stand_below(facts)
    return gathered.judge(ruleset)


def analyze_beside(  # noqa: PLR0913 - each is a choice of its own
    feed: LogFeed,
    ruleset: RuleSet,
    artifacts: Sequence[Input],
    *,
    source: str = "-",
    facts: Sequence[MachineFact] = (),
    excerpt_room: int = 0,
) -> Diagnosis:
    """Diagnose one log as one with its artifacts: those given, and the debug folders that the log names."""
    gathered = _Gathered(source, excerpt_room)
    gathered.read_log(feed, ruleset, _DEFAULT_SCAN)
    gathered.stand_below(facts)
    if artifacts or gathered.named:
        gathered.read_artifacts(artifacts)
    return gathered.judge(ruleset)


def analyze_artifacts(artifacts: Sequence[Input], ruleset: RuleSet, *, source: str = "-") -> Diagnosis:
    """Diagnose what torch has left beside a log, without the log: traces, debug folders, repro scripts."""
    gathered = _Gathered(source)
    gathered.read_artifacts(artifacts)
    return gathered.judge(ruleset)


def analyze_checks(checks: Sequence[Check], ruleset: RuleSet, *, source: str) -> Diagnosis:
    """Diagnose a machine from looks at it: their facts, and what tools printed."""
    gathered = _Gathered(source)
    for check in checks:
        gathered.read_check(check)
    return replace(gathered.judge(ruleset), checks=tuple(checks))


def combine(diagnoses: Sequence[Diagnosis]) -> Diagnosis:
    """Return the verdict for several inputs together, such as the logs of all ranks; there must be one."""
    if len(diagnoses) == 1:
        return diagnoses[0]
    from tracelens.engine.combine import combine as combine_several

    return combine_several(diagnoses)


class _Gathered:
    """All that one answer is judged from."""

    def __init__(self, source: str, excerpt_room: int = 0) -> None:
        self._raw = RawLines()
        self._store = EventStore()
        nothing = Coverage(lines=0, parsed=0, unparsed=0)
        self._reading = Reading(coverage=nothing, source=source, excerpt_room=excerpt_room)
        #: Paths that the log says torch has written to.
        self.named: list[str] = []

    def read_log(self, feed: LogFeed, ruleset: RuleSet, options: ScanOptions) -> None:
        ledger = ScanLedger()
        memory = Memory()
        parsed = unparsed = 0
        remarks: list[Diagnostic] = []
        for region in find_regions(feed, _Anchors(ruleset), options=options, ledger=ledger):
            self._raw.add(region)
            if region.text.startswith(REPORT_MARK):
                # Few inputs are reports of our own.
                from tracelens.source.own_reports import log_of_report

                region = log_of_report(region)  # noqa: PLW2901 - evidence is shown as it stands in the input
            for strand in split_strands(region):
                reading = parse_strand(strand, memory)
                self._store.take(reading, region.times)
                self.named += (event.path for event in reading.events if type(event) is ArtifactPath)
                parsed += reading.parsed_lines * region.times
                unparsed += reading.unparsed_lines * region.times
                remarks += reading.diagnostics
        self._reading = self._reading._replace(
            coverage=Coverage(lines=ledger.lines, parsed=parsed, unparsed=unparsed),
            diagnostics=(*feed.remarks, *ledger.diagnostics(), *remarks),
            log_lines=ledger.lines,
        )

    def stand_below(self, facts: Sequence[MachineFact]) -> None:
        """Give facts the lines after the last one, so that evidence can point at them."""
        if not facts:
            return
        first = self._reading.coverage.lines + 1
        for number, fact in enumerate(facts, first):
            self._store.extend([replace(fact, span=Span(line=number, end_line=number))])
        self._raw.add(Region(first_line=first, text="".join(f"{_as_line(fact)}\n" for fact in facts)))

    def read_check(self, check: Check) -> None:
        self.stand_below(check.facts)
        coverage = self._reading.coverage
        lines, parsed, unparsed = coverage.lines + len(check.facts), coverage.parsed, coverage.unparsed
        if check.output:
            region = Region(first_line=lines + 1, text=check.output.rstrip("\n") + "\n")
            self._raw.add(region)
            lines += region.text.count("\n")
            for strand in split_strands(region):
                reading = parse_strand(strand)
                self._store.take(reading)
                parsed += reading.parsed_lines
                unparsed += reading.unparsed_lines
        self._reading = self._reading._replace(coverage=Coverage(lines=lines, parsed=parsed, unparsed=unparsed))

    def read_artifacts(self, given: Sequence[Input]) -> None:
        # A log without any never comes here.
        from tracelens.artifacts import ArtifactReading, find_named

        inputs = (*given, *find_named(self.named, {entry.name for entry in given}))
        if not inputs:
            return
        coverage = self._reading.coverage
        beside = ArtifactReading(coverage.lines, self._raw.add, (kept.event for kept in self._store.events()))
        self._store.extend(beside.read(inputs))
        self._reading = self._reading._replace(
            coverage=Coverage(
                lines=coverage.lines + beside.lines,
                parsed=coverage.parsed + beside.lines,
                unparsed=coverage.unparsed,
            ),
            diagnostics=(*self._reading.diagnostics, *beside.remarks),
            documents=beside.documents,
            timeline=beside.timeline,
        )

    def judge(self, ruleset: RuleSet) -> Diagnosis:
        return diagnose(self._store, ruleset, excerpt=self._raw.excerpt, reading=self._reading)


def _as_line(fact: MachineFact) -> str:
    if isinstance(fact, EnvironmentReport):
        return ", ".join(f"{name} {value}" for name, value in fact.facts)
    return " ".join(fact.message.split())
