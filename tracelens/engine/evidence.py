"""The very lines of the input that prove a finding.

An event's span covers a whole message, and a message may hold pages of
compiler output. Evidence points at the line that matched: it is looked up in
the raw text, where decorations stand before it and where a terminal may have
wrapped it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tracelens.engine.fields import GUARDED
from tracelens.engine.match import Match, Proof
from tracelens.expressions import compiled
from tracelens.findings import Evidence, EvidenceRole
from tracelens.ruleset.model import Kind
from tracelens.text import Span, line_around
from tracelens.typed import TypeAlias

#: Returns the raw lines of a span, joined by newlines; empty when they are gone.
Excerpt: TypeAlias = Callable[[Span], str]

MAX_LINES = 12
MAX_BYTES = 4096
_MAX_CONTEXT = 4
#: How far into a message the raw text is fetched around the expected line.
_BEFORE = 200
_AFTER = 400
_PROBE = 40
_LONGEST = 5000
_RECOMPILE_HEAD = 2
_ELLIPSIS = "…"
#: A line, such as an object of a JSON log, may have its match further in than the first number, which is what an answer
#: shows of it. Then it is quoted from the second number before the match on.
_SHOWN, _LEAD = 400, 160
#: Shorter texts stand anywhere, and tell no place.
_TELLING = 3
_FRAME = r"(.+?)(?::(\d+))? in "


def find_evidence(
    match: Match,
    excerpt: Excerpt,
    *,
    guard_spans: Sequence[Span] = (),
    message_tells: bool = False,
    closing: Proof | None = None,
) -> tuple[Evidence, ...]:
    """Return the root evidence of a match, then what stands beside it.

    ``guard_spans`` hold the lines of the guard that matched, where one did, and of others that failed like it.
    Where the whole message tells of the root, all that was looked for in it is root, and so is its first line.
    ``closing`` is where the run says the same for the last time.
    """
    root = locate(match.primary, excerpt)
    reasons = [(locate(proof, excerpt), proof) for proof in match.context if proof.root]
    evidence: list[Evidence] = []
    for span, proof in (*reasons, (root, match.primary)):
        if not _is_shown(span, evidence):
            evidence.append(_evidence(span, EvidenceRole.ROOT, proof, excerpt))
    # Without that stack frame, or that guard, the event would prove nothing.
    frame = _locate_frame(match.primary, excerpt)
    for number, detail in enumerate([frame] if frame else guard_spans):
        # Of the first, the proof itself can tell what the input no longer does.
        if (number == 0 or excerpt(detail)) and not _is_shown(detail, evidence):
            evidence.append(_evidence(detail, EvidenceRole.ROOT, match.primary, excerpt))
    if closing is not None:
        last = _evidence(locate(closing, excerpt), EvidenceRole.ROOT, closing, excerpt)
        said = (proving_line(closing) if closing.kind is Kind.SAID else last.text).strip()
        if not _is_shown(last.span, evidence) and not any(said in known.text for known in evidence):
            evidence.append(last)
    contexts: list[tuple[Span, Proof]] = [(locate(proof, excerpt), proof) for proof in match.context]
    if match.primary.kind in (Kind.EXCEPTION, Kind.SAID) and root.line > match.primary.span.line:
        # The name of the exception stands on the first line, the proof further down.
        first = match.primary.span.line
        contexts.insert(0, (Span(line=first, end_line=first), match.primary))
    for span, proof in contexts:
        if len(evidence) <= _MAX_CONTEXT and not _is_shown(span, evidence):
            is_root = message_tells and proof.subject == match.primary.subject
            evidence.append(_evidence(span, EvidenceRole.ROOT if is_root else EvidenceRole.CONTEXT, proof, excerpt))
    return tuple(evidence)


def _is_shown(span: Span, evidence: Iterable[Evidence]) -> bool:
    return any(known.span.covers(span) for known in evidence)


def show(span: Span, excerpt: Excerpt, *, role: EvidenceRole, spoken: str = "") -> Evidence:
    """Return the first lines of a span as evidence; ``spoken`` stands in where the raw text is gone."""
    span = Span(line=span.line, end_line=min(span.end_line, span.line + MAX_LINES - 1))
    text = excerpt(span) or spoken
    return Evidence(span=span, text=_capped(text, probe=""), role=role)


def locate(proof: Proof, excerpt: Excerpt) -> Span:
    """Return the lines of the input that a proof's pattern matched."""
    span = proof.span
    if proof.kind in GUARDED:
        # What was recompiled; why stands further down.
        return Span(line=span.line, end_line=min(span.end_line, span.line + _RECOMPILE_HEAD))
    if proof.text is None or proof.field not in ("message", "reason") or span.line == span.end_line:
        return _head(span)
    lines = proof.text.split("\n")
    first = proof.text.count("\n", 0, proof.start)
    last = proof.text.count("\n", 0, max(proof.start, proof.end - 1))
    window = Span(
        line=max(span.line, span.line + first - _BEFORE), end_line=min(span.end_line, span.line + last + _AFTER)
    )
    raw = excerpt(window).split("\n")
    expected = span.line + first - window.line
    matched = proof.text[proof.start : proof.end].split("\n")
    start = _find(raw, expected, (lines[first], matched[0]))
    if start is None:
        line = min(span.line + first, span.end_line)
        return Span(line=line, end_line=line)
    end = start
    if last > first:
        found = _find(raw, start + last - first, (lines[last], matched[-1]))
        end = found if found is not None and found >= start else start
    elif not _is_in(lines[first].strip(), raw[start]):
        end = _wrapped_end(lines[first].rstrip(), raw, start)
    return Span(line=window.line + start, end_line=min(window.line + end, window.line + start + MAX_LINES - 1))


def _locate_frame(proof: Proof, excerpt: Excerpt) -> Span | None:
    """Return the lines of the stack frame that a proof needed: its place and its source."""
    if proof.frame is None:
        return None
    match = compiled(_FRAME).match(proof.frame)
    path, number = (match[1], match[2] or "") if match else (proof.frame, "")
    raw = excerpt(Span(line=max(proof.whole.line, proof.whole.end_line - _LONGEST), end_line=proof.whole.end_line))
    lines = raw.split("\n")
    first = proof.whole.end_line - len(lines) + 1
    for position in range(len(lines) - 1, -1, -1):
        if path in lines[position] and re.search(rf"\b{re.escape(number)}\b", lines[position]):
            after = lines[position + 1] if position + 1 < len(lines) else ""
            has_source = bool(after.strip()) and "File " not in after and first + position + 1 < proof.span.line
            return Span(line=first + position, end_line=first + position + has_source)
    return None


def _wrapped_end(line: str, raw: list[str], start: int) -> int:
    """Return where a line ends that a terminal or a mail program broke up."""
    for length in (_PROBE, _PROBE // 2, _PROBE // 4):
        for number in range(start, min(start + 4, len(raw))):
            if _is_in(line[-length:], raw[number]):
                return number
    return start


def _find(raw: list[str], expected: int, wanted: Iterable[str]) -> int | None:
    """Return the line nearest to the expected one that holds a text, or at least its beginning."""
    order = sorted(range(len(raw)), key=lambda number: (abs(number - expected), number))
    probes = [text.strip() for text in wanted]
    probes += [text[:_PROBE].strip() for text in probes]
    for probe in probes:
        for number in order if len(probe) >= 3 else ():
            if _is_in(probe, raw[number]):
                return number
    return None


def _is_in(probe: str, line: str) -> bool:
    return bool(probe) and probe in line


def _head(span: Span) -> Span:
    return Span(line=span.line, end_line=min(span.end_line, span.line + MAX_LINES - 1))


def _evidence(span: Span, role: EvidenceRole, proof: Proof, excerpt: Excerpt) -> Evidence:
    probe = ""
    if proof.text is not None:
        probe = proof.text[proof.start : proof.end].partition("\n")[0].strip()
    text = excerpt(span)
    if not text:
        text = proving_line(proof)
    return Evidence(span=span, text=_capped(text, probe), role=role)


def proving_line(proof: Proof) -> str:
    """Return the line in which a pattern matched, without decorations; empty where no pattern took part."""
    return line_around(proof.text or "", proof.start)


def _capped(text: str, probe: str) -> str:
    """Cut evidence that is too long, but not where the match is."""
    is_line = "\n" not in text
    if len(text) <= (_SHOWN if is_line else MAX_BYTES):
        return text
    at = _place_of(probe, text)
    if len(text) <= MAX_BYTES and at <= _SHOWN:
        return text
    start = max(0, at - _LEAD if is_line else min(at - MAX_BYTES // 4, len(text) - MAX_BYTES))
    end = start + MAX_BYTES
    return f"{_ELLIPSIS if start else ''}{text[start:end]}{_ELLIPSIS if end < len(text) else ''}"


def _place_of(probe: str, text: str) -> int:
    """Return where a match stands in raw text, or its longest part that JSON spells as it is."""
    parts = (probe, max(probe.replace('"', "\\").split("\\"), key=len))
    return max([0, *(text.find(part) for part in parts if len(part) >= _TELLING)])
