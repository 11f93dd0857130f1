"""Guards that failed, the recompiles they cause and the limit on those.

Reads the messages of records and exceptions, headers stripped, of torch 2.0
and later. The same block is spelled as several lines, as one Python tuple, or
inside an exception; what comes out is the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracelens.events import GuardFailure, Recompile, RecompileLimit, RecordHeader
from tracelens.expressions import compiled
from tracelens.parsing.guard_kinds import classify_guard
from tracelens.parsing.records import read_compile_id
from tracelens.text import Process, Span

# "- 0/7: " and "!0/1/2: " count the graph whose guard failed.
_COUNTER = r"\s{0,200}(?:[-*]\s{1,8})?(?:(!?\d{1,9}/\d{1,9}(?:/\d{1,9})?(?:_\d{1,9})?):(?:\s|\Z)\s{0,8})?"
_HINT = r"\(HINT: (.{0,2000})\)\Z"
_USER_STACK = r"\s*(?:- *)?User stack trace:"


def read_guard(text: str, span: Span, process: Process | None, record: RecordHeader | None) -> GuardFailure:
    """Read one guard, with or without its counter and the comment behind it."""
    counter = compiled(_COUNTER).match(text)
    number = counter.group(1) if counter else None
    body = text[counter.end() :] if counter else text
    expression, comment = _split_comment(body.strip())
    reading = classify_guard(expression)
    return GuardFailure(
        span=span,
        process=process,
        record=record,
        expression=expression,
        kind=reading.kind,
        source=reading.source,
        dimension=reading.dimension,
        expected=reading.expected,
        actual=reading.actual,
        compile_id=read_compile_id(number) if number else None,
        comment=comment or reading.comment,
    )


def _split_comment(body: str) -> tuple[str, str | None]:
    """Part a guard from ``  # the user's line`` and ``(HINT: …)`` behind it."""
    hint = None
    at = body.rfind(" (HINT: ")
    if at >= 0:
        match = compiled(_HINT).match(body, at + 1)
        if match:
            hint = match.group(1)
            body = body[:at]
    expression, _, comment = body.partition("  # ")
    parts = [part for part in (comment.strip(), hint) if part]
    return expression.strip(), "; ".join(parts) or None


_RECOMPILING = r"Recompiling function (?P<function>\S{1,300}) in (?P<location>[^\n'\"]{1,1000}:\d{1,9})"


_STANCE = (
    r"Detected recompile when torch\.compile stance is.{0,60}filename: '(?P<file>[^'\n]{0,1000})', "
    r"function name: '(?P<function>[^'\n]{0,300})', line number: (?P<line>\d{1,9})"
)


_ONE_FAILURE = r"(?s)triggered by the following guard failure(?:\(s\)|s)?: ?(?P<rest>.{0,20000})"


def read_recompile(
    lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> Recompile | None:
    """Read the block that says which function is compiled again, and why."""
    for index, (text, span) in enumerate(lines):
        found = compiled(_RECOMPILING).search(text)
        stance = None if found else compiled(_STANCE).search(text)
        if found:
            function, location = found["function"], found["location"]
        elif stance:
            function, location = stance["function"], f"{stance['file']}:{stance['line']}"
        else:
            continue
        guards = _guards_behind(text, lines[index:], process, record)
        return Recompile(
            span=_cover(span, lines[-1][1]),
            process=process,
            record=record,
            function=function,
            location=location,
            guards=tuple(guards),
        )
    return None


def _guards_behind(
    head: str, lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> list[GuardFailure]:
    """Read the guards of a block whose first line is ``head``."""
    quoted = compiled(_ONE_FAILURE).search(head)
    if quoted and quoted["rest"].strip():
        # torch 2.1 logs a tuple: the text is a Python string, quotes escaped.
        text = re.sub(r"\\(['\"\\])", r"\1", quoted["rest"].strip())
        return [read_guard(_drop_tuple_end(text), lines[0][1], process, record)]
    guards: list[GuardFailure] = []
    in_stack = False
    for text, span in lines[1:]:
        if compiled(_USER_STACK).match(text):
            in_stack = True
            continue
        body = text.strip()
        counted = compiled(_COUNTER).match(text)
        numbered = bool(counted and counted.group(1))
        if in_stack and not numbered:
            continue
        in_stack = False
        if not (body.startswith("- ") or numbered):
            continue
        guards += [read_guard(part, span, process, record) for part in _split_reasons(text)]
    return guards


def _drop_tuple_end(text: str) -> str:
    return re.sub(r"['\"]\)\s*\Z", "", text)


_NEXT_REASON = (
    r"; (?=tensor '|[LG]\[|___|len\(|not |hasattr\(|GLOBAL_STATE|-?\d{1,19} <"
    r"|[\w.\[\]'\"()]{1,200} (?:==|!=|is|<=?|>=?) )"
)


def _split_reasons(text: str) -> list[str]:
    """Part ``a; b``, as torch joins reasons under recompiles_verbose."""
    return compiled(_NEXT_REASON).split(text) if "; " in text else [text]


_LIMITS = r"(?:accumulated_)?(?:recompile|cache_size)_limit"


_LIMIT_PATTERN = (
    rf"torch\._dynamo hit config\.(?P<setting>{_LIMITS}) \((?P<limit>\d{{1,9}})\)"
    rf"|(?P<reached>{_LIMITS}) reached"
    rf"|exceeding the (?P<exceeded>{_LIMITS}) cache size limit(?: \(currently set to (?P<current>\d{{1,9}})\))?"
    r"|(?P<hard>Hard failure due to (?:fullgraph=True|fail_on_(?:recompile|cache)_limit_hit))"
    r"|Dynamo (?:recompile|cache) limit exceeded"
    rf"|Limit type: (?P<type>{_LIMITS})"
)


_FUNCTION_LINE = r"\s*function: '(?P<function>[^'\n]{0,300})'(?: \((?P<location>[^\n]{0,1000})\))?"


_REASON_LINE = r"\s{0,40}(?:(?:last )?reasons?: {0,8}){1,2}(?P<reason>[^\n]*)"


_END_OF_REASONS = r"\s*(?:\Z|[Tt]o (?:log|diagnose|monitor) |User stack trace:|https?:)"


def read_recompile_limit(
    lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> RecompileLimit | None:
    """Read the block that says the limit on recompiles was reached."""
    found = _find_limit(lines)
    if found is None:
        return None
    setting, limit, start = found
    function = None
    guards: list[GuardFailure] = []
    in_reasons = False
    for text, span in lines[start:]:
        named = compiled(_FUNCTION_LINE).match(text)
        reason = compiled(_REASON_LINE).match(text)
        if named:
            function = f"{named['function']} ({named['location']})" if named["location"] else named["function"]
        elif reason or (in_reasons and not compiled(_END_OF_REASONS).match(text)):
            # torch 2.2 and 2.3 put each reason on a line under recompiles_verbose
            body = reason["reason"] if reason else text
            guards += [read_guard(part, span, process, record) for part in _split_reasons(body)]
        in_reasons = bool(reason) or (in_reasons and not compiled(_END_OF_REASONS).match(text))
    return RecompileLimit(
        span=_cover(lines[start][1], lines[-1][1]),
        process=process,
        record=record,
        limit=limit,
        setting=setting,
        function=function,
        guards=tuple(guards),
        message="\n".join(text for text, _ in lines[start:]).rstrip(),
    )


def _find_limit(lines: Sequence[tuple[str, Span]]) -> tuple[str | None, int | None, int] | None:
    start = setting = limit = None
    for index, (text, _) in enumerate(lines):
        for match in compiled(_LIMIT_PATTERN).finditer(text):
            start = index if start is None else start
            setting = setting or match["setting"] or match["reached"] or match["exceeded"] or match["type"]
            number = match["limit"] or match["current"]
            limit = int(number) if limit is None and number else limit
    return None if start is None else (setting, limit, start)


def _cover(first: Span, last: Span) -> Span:
    return Span(line=first.line, end_line=max(first.end_line, last.end_line))
