"""Render an answer for a bug report: the fields of PyTorch's form for ``torch.compile``, in GitHub's Markdown.

The first screen says what failed, why, and what to type. The log that proves
it follows in fences, as raw lines, so that the report can be analysed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from tracelens import __version__
from tracelens.findings import (
    Diagnosis,
    Evidence,
    EvidenceRole,
    Finding,
    Fix,
    Outcome,
    RootCause,
    StageStatus,
)
from tracelens.record import field_names
from tracelens.report.ablation import ablation
from tracelens.report.as_plain import render_plain
from tracelens.report.document import Document
from tracelens.report.harmless import whole_characters
from tracelens.report.layout import Layout
from tracelens.report.markdown_text import as_lines, cell, code, details, fence, plain_html, prose, within
from tracelens.report.sections import GAP, Section, Worth, fit
from tracelens.report.words import (
    STAGE_NAMES,
    UNEXPLAINED_TITLE,
    banner_facts,
    clean_title,
    fix_facts,
    other_findings,
    standing,
    unhelpful_advice,
)
from tracelens.report.wrap import wrap
from tracelens.text import LOG_HEADING, REPORT_MARK

#: What GitHub takes as the text of an issue.
LIMIT = 65_536
#: In bytes, of what is never left out: all of it together has to fit.
_MAX_EVIDENCE = 4_000
_MAX_TEXT = 3_000
_MAX_LINE = 400
#: Columns that GitHub shows of code without a scroll bar.
_WIDTH = 96
_MAX_EVIDENCES = 4
_MAX_OTHERS = 10
_MAX_INPUTS = 64
_OF_THE_MACHINE = (RootCause.TOOLCHAIN, RootCause.CACHE, RootCause.ABI)
_ISSUES = "https://github.com/pytorch/pytorch/issues?q="


def render(document: Document) -> str:
    """Return the report, at most ``LIMIT`` bytes of UTF-8."""
    return fit(list(_sections(document)), LIMIT)


def _sections(document: Document) -> Iterator[Section]:
    yield Section(
        name="the answer", worth=Worth.ANSWER, text=f"{REPORT_MARK}{GAP}### 🐛 Describe the bug{GAP}{_answer(document)}"
    )
    finding = document.finding
    if finding is not None:
        yield Section(
            name="other fixes",
            worth=Worth.MORE_FIXES,
            text=GAP.join(_fix(number, fix) for number, fix in enumerate(finding.fixes[1:], 2)),
        )
        yield Section(name="other fixes", worth=Worth.MORE_FIXES, text=_unhelpful(finding))
        yield Section(name="the explanation", worth=Worth.EXPLANATION, text=_explanation(finding))
    yield Section(name="the search", worth=Worth.ANSWER, text=_search(document.together))
    yield Section(name="other findings", worth=Worth.OTHER_FINDINGS, text=_others(document.together))
    yield Section(name="the timeline", worth=Worth.TIMELINE, text=GAP.join(_timelines(document)))
    yield Section(name="the inputs", worth=Worth.OTHER_INPUTS, text=_inputs(document))
    yield Section(name="", worth=Worth.ANSWER, text=LOG_HEADING)
    log = list(_log(document))
    yield from log or [Section(name="", worth=Worth.ANSWER, text="The input holds no log.")]
    yield Section(name="", worth=Worth.ANSWER, text=f"### Minimal repro{GAP}{_repro(document)}")
    tried = [ablation(document.together), *_verified(document.together)]
    yield Section(name="the ablation", worth=Worth.ABLATION, text=GAP.join(("### Ablation", *tried)))
    yield Section(name="", worth=Worth.ANSWER, text=f"### Versions{GAP}{_versions(document.together)}")
    yield Section(name="", worth=Worth.ANSWER, text=_about(document))
    yield Section(name="the references", worth=Worth.REFERENCES, text=_references(finding))


def _answer(document: Document) -> str:
    together, finding = document.together, document.finding
    if finding is not None:
        label = f"`{finding.label}`, `{finding.code}`"
        parts = [f"**{_prose(finding.title, _MAX_LINE)}** ({label}): {_prose('; '.join(standing(finding)), _MAX_LINE)}"]
    elif together.outcome is Outcome.UNEXPLAINED:
        parts = [f"**{UNEXPLAINED_TITLE}**"]
    else:
        parts = [f"**{clean_title(together)}**"]
    parts += [_prose(" · ".join((together.source, *banner_facts(together))), _MAX_LINE), _pipeline(together)]
    parts += [_evidence(item) for item in document.evidence[:_MAX_EVIDENCES] if item.role is EvidenceRole.ROOT]
    if finding is not None:
        parts.append(f"**Why:** {_prose(finding.summary)}")
        parts += [_fix(number, fix) for number, fix in enumerate(finding.fixes[:1], 1)]
    elif together.unexplained is not None:
        parts.append(f"**Seen:** {_prose(together.unexplained.seen)}")
        parts.append(f"**What to type**, to learn more:{GAP}{_fence(together.unexplained.next_command, 'sh')}")
    if finding is None:
        # Why nothing was found may be why nothing was said: an input without a line, or one that was cut short.
        parts += [f"Note: {_prose(remark.message, _MAX_LINE)}" for remark in together.diagnostics[:_MAX_EVIDENCES]]
    return GAP.join(part for part in parts if part)


def _pipeline(diagnosis: Diagnosis) -> str:
    marks = {StageStatus.PASSED: "✓", StageStatus.FAILED: "✗"}
    reached = [
        f"**{STAGE_NAMES[item.stage]} ✗**"
        if item.status is StageStatus.FAILED
        else f"{STAGE_NAMES[item.stage]} {marks[item.status]}"
        for item in diagnosis.pipeline
        if item.status in marks
    ]
    rest = [STAGE_NAMES[item.stage] for item in diagnosis.pipeline if item.status not in marks]
    if not reached:
        return ""
    return " → ".join(reached) + (f" (not reached or not in the log: {', '.join(rest)})" if rest else "")


def _evidence(item: Evidence) -> str:
    return within(_MAX_EVIDENCE, lambda text: _numbered(text, item.span.line), item.text)


def _numbered(text: str, first: int) -> str:
    """Return lines with their numbers: quoted as they are, they would be a second, torn log beside the one below."""
    lines = as_lines(text).split("\n")
    width = len(str(first + len(lines) - 1))
    rows = [
        f"{first + place if part == 0 else '':>{width}} │ {row}"
        for place, line in enumerate(lines)
        for part, row in enumerate(wrap(line, _WIDTH))
    ]
    return fence("\n".join(rows))


def _fix(number: int, fix: Fix) -> str:
    head = f"**Fix {number}:** {_prose(fix.title, _MAX_LINE)} ({_prose(', '.join(fix_facts(fix)), _MAX_LINE)})"
    if not fix.commands:
        return head
    language = "python" if fix.kind.value == "code" else "sh"
    return f"{head}{GAP}{_fence(chr(10).join(fix.commands), language)}"


def _unhelpful(finding: Finding) -> str:
    return f"**Will not help:** {_prose(unhelpful_advice(finding))}." if finding.not_helpful else ""


def _explanation(finding: Finding) -> str:
    text = " ".join(part for part in (finding.explanation, finding.because) if part)
    return f"**More on the cause:** {_prose(text)}" if text else ""


def _search(diagnosis: Diagnosis) -> str:
    fingerprint = diagnosis.fingerprint
    if fingerprint is None:
        return ""
    by_words = f"[words]({_ISSUES}{quote(f'is:issue {whole_characters(fingerprint.search)}', safe='')})"
    by_name = f"[fingerprint]({_ISSUES}{quote(f'is:issue {fingerprint.value}', safe='')})"
    return (
        f"**Same cause elsewhere:** `{fingerprint.value}`, or {_code(fingerprint.search)};"
        f" search PyTorch's issues by its {by_words} or by its {by_name}."
    )


def _others(diagnosis: Diagnosis) -> str:
    others = other_findings(diagnosis)
    if not others:
        return ""
    rows = [
        f"- {other.severity.value}: {_prose(other.title, _MAX_LINE)} (`{other.label}`"
        + ("" if other.line is None else f", line {other.line}")
        + ")"
        for other in others[:_MAX_OTHERS]
    ]
    if len(others) > _MAX_OTHERS:
        rows.append(f"- and {len(others) - _MAX_OTHERS} more")
    return "**Also in this log:**" + GAP + "\n".join(rows)


def _timelines(document: Document) -> Iterator[str]:
    for one in document.each:
        if one.timeline is not None:
            # Only a trace has one, and its words are not for every report.
            from tracelens.report.timeline import lay_out_timeline

            text = render_plain(lay_out_timeline(one.timeline, Layout(width=_WIDTH)))
            yield details(within(_MAX_LINE, plain_html, f"Compilations in {one.source}"), fence(text))


def _verified(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.verification is not None:
        # Only `verify` has asked the machine.
        from tracelens.report.verified import lay_out_verification

        text = render_plain(lay_out_verification(diagnosis.verification, Layout(width=_WIDTH)))
        yield f"What this machine said:{GAP}{fence(text)}"


def _inputs(document: Document) -> str:
    if not document.inputs:
        return ""
    rows = [
        f"| {within(_MAX_LINE, cell, one.source)} | {one.coverage.lines:,} | `{one.label or one.outcome.value}` |"
        for one in document.inputs[:_MAX_INPUTS]
    ]
    more = len(document.inputs) - len(rows)
    table = "\n".join(("| input | lines | answer |", "|---|---|---|", *rows))
    return details(f"Each of the {len(document.inputs)} inputs", table + (f"{GAP}and {more} more" if more else ""))


def _log(document: Document) -> Iterator[Section]:
    finding = document.finding
    speaking = finding.sources[0] if finding is not None and finding.sources else document.together.source
    each = sorted(document.each, key=lambda one: one.source != speaking)
    for place, one in enumerate(each):
        roots = [item.span for item in document.evidence] if place == 0 else []
        for excerpt in one.excerpts:
            span = excerpt.span
            name = f"{one.source}, lines {span.line} to {span.end_line} of {one.coverage.lines}"
            proves = any(span.line <= root.line <= span.end_line for root in roots)
            yield Section(
                name=f"lines {span.line} to {span.end_line} of {_prose(one.source, 100)}",
                worth=Worth.LOG if proves else Worth.MORE_OF_THE_LOG,
                text=details(within(_MAX_LINE, plain_html, name), fence(excerpt.text)),
            )


def _repro(document: Document) -> str:
    finding = document.finding
    frame = finding.user_frame if finding is not None else None
    parts = []
    if frame is not None:
        function = f" in {_code(frame.function)}" if frame.function else ""
        parts.append(f"It comes from {_code(f'{frame.path}:{frame.line}')}{function}:")
        if frame.source:
            parts.append(_fence(frame.source, "python"))
    else:
        parts.append("The log names no line of the user's program.")
    if document.together.root_cause in _OF_THE_MACHINE:
        parts.append("The cause is in the software of the machine: any program that compiles the same way shows it.")
    elif document.together.outcome is not Outcome.CLEAN:
        parts.append("Run the program once more with this to have torch write a smaller one:")
        parts.append(fence('export TORCHDYNAMO_REPRO_AFTER="aot" TORCHDYNAMO_REPRO_LEVEL=2', "sh"))
    return GAP.join(parts)


def _versions(diagnosis: Diagnosis) -> str:
    environment = diagnosis.environment
    known = {name: getattr(environment, name) for name in field_names(type(environment))}
    rows = [
        f"| {name.replace('_', ' ')} | {within(_MAX_LINE, cell, str(value))} |"
        for name, value in known.items()
        if value
    ]
    table = "\n".join(("| what the log says | |", "|---|---|", *rows)) if rows else "The log names no versions."
    return f"{table}{GAP}Add the output of `python -m torch.utils.collect_env` if it is not in the log."


def _about(document: Document) -> str:
    coverage = document.together.coverage
    lines = [
        f"tracelens {__version__} read {coverage.lines:,} lines and did not understand {coverage.unparsed:,} of them."
    ]
    replacements = document.replacements
    if replacements is None:
        lines.append("Nothing was redacted.")
    elif replacements:
        rows = [f"| {item.kind} | {item.times} | {item.different} |" for item in replacements]
        lines.append("Replaced:" + GAP + "\n".join(("| what | times | different ones |", "|---|---|---|", *rows)))
    else:
        lines.append("Redaction found nothing to replace.")
    lines += [f"Note: {_prose(remark.message, _MAX_LINE)}" for remark in document.together.diagnostics[:_MAX_OTHERS]]
    return details("About this report, and what was replaced in it", GAP.join(lines))


def _references(finding: Finding | None) -> str:
    if finding is None or not finding.references:
        return ""
    links = [f"- <{reference}>" for reference in finding.references if reference.startswith("https://")]
    return GAP.join(("**References:**", "\n".join(links)))


def _prose(text: str, limit: int = _MAX_TEXT) -> str:
    return within(limit, prose, text)


def _code(text: str) -> str:
    return within(_MAX_LINE, code, text)


def _fence(text: str, language: str) -> str:
    return within(_MAX_TEXT, lambda part: fence(part, language), text)
