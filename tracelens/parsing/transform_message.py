"""Log records and what torch.compile says in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from tracelens.events import (
    ArtifactPath,
    AutotuneFailure,
    CacheMessage,
    CudagraphSkip,
    GraphBreak,
    GraphText,
    Level,
    LogRecord,
    RecordHeader,
)
from tracelens.expressions import expression
from tracelens.parsing.exceptions import capped
from tracelens.parsing.guards import read_recompile, read_recompile_limit
from tracelens.parsing.machine import Token
from tracelens.parsing.reading import Reading

#: Artifacts of torch's logging whose message is a printed graph or program.
GRAPH_ARTIFACTS = frozenset(
    {"graph_code", "graph_code_verbose", "aot_graphs", "aot_joint_graph", "graph", "pre_grad_graphs",
     "post_grad_graphs", "joint_graph_passes", "compiled_autograd", "compiled_autograd_verbose", "ddp_graphs",
     "output_code", "kernel_code", "onnx_diagnostics", "ir_pre_fusion", "ir_post_fusion", "bytecode"}
)  # fmt: skip


def read_recompiling(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read which function is compiled again and the guards that failed."""
    reading.keep(read_recompile(reading.lines(tokens), reading.process, reading.record), tokens)


def read_limit(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read that the limit on recompiles was reached."""
    reading.keep(read_recompile_limit(reading.lines(tokens), reading.process, reading.record), tokens)


def message_of(reading: Reading, tokens: Sequence[Token]) -> str:
    """Return the text from the first to the last of these tokens."""
    return capped(reading.text[tokens[0][1] : tokens[-1][2]].rstrip())


@cache
def _break_fields() -> re.Pattern[str]:
    return expression(
        r"^[ \t]*(?P<name>Graph Break Reason|Reason|Explanation|Hint|Developer debug context|User code traceback)"
        r"\s*:\s?"
        r"(?P<value>[^\n]*)",
        re.MULTILINE,
    )


def read_graph_break(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read a logged graph break, in the wording of any release."""
    message = message_of(reading, tokens)
    fields: dict[str, str] = {}
    hints = []
    for match in _break_fields().finditer(message):
        if match["name"] == "Hint":
            hints.append(match["value"].strip())
        else:
            fields.setdefault(match["name"], match["value"].strip())
    reason = fields.get("Graph Break Reason") or fields.get("Reason")
    reading.events.append(
        GraphBreak(
            span=reading.span(tokens[0], tokens[-1]),
            process=reading.process,
            record=reading.record,
            gb_type=_break_type(reason, message),
            context=fields.get("Developer debug context"),
            explanation=fields.get("Explanation"),
            hints=tuple(hints),
            message=message,
        )
    )


@cache
def _unsupported() -> re.Pattern[str]:
    return expression(r"(?:^|\n)(?:[\w.]+\.)?(?:Unsupported|[A-Z]\w+Error): ([^\n]+)")


def _break_type(reason: str | None, message: str) -> str | None:
    if reason:
        return reason.removeprefix("Unsupported: ")
    match = _unsupported().search(message)
    if match:
        return match.group(1)
    head, _, rest = message.partition("\n")[0].partition(" from user code at")
    return head.removeprefix("Graph break:").strip() or None if rest else None


def read_cudagraph(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read that cudagraphs were skipped, or are recorded once per size."""
    message = message_of(reading, tokens)
    rerecord = message.startswith("CUDAGraph supports dynamic shapes")
    reason = message if rerecord else message.partition(" due to ")[2] or message
    reading.events.append(
        CudagraphSkip(
            span=reading.span(tokens[0], tokens[-1]),
            process=reading.process,
            record=reading.record,
            reason=reason,
            rerecord=rerecord,
        )
    )


@cache
def _choice() -> re.Pattern[str]:
    return expression(r"(?:for benchmark choice |benchmark choice '?|choice )([A-Za-z_]\w*(?:\([^\n]{0,4000})?)")


def read_autotune(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read a choice that autotuning dropped, with all that was printed for it."""
    message = message_of(reading, tokens)
    choice = _choice().search(message)
    reading.events.append(
        AutotuneFailure(
            span=reading.span(tokens[0], tokens[-1]),
            process=reading.process,
            record=reading.record,
            choice=choice.group(1).strip() if choice else None,
            message=message,
        )
    )


def read_cache_message(reading: Reading, token: Token) -> None:
    """Read what a compile cache says of itself."""
    reading.events.append(
        CacheMessage(
            span=reading.span(token),
            process=reading.process,
            record=reading.record,
            message=message_of(reading, [token]),
        )
    )


@cache
def _graph_name() -> re.Pattern[str]:
    return expression(
        r"=====+ (?:pre insert_deferred_runtime_asserts )?([^\n=]+?) =====+|^class ([\w<>]+)\(", re.MULTILINE
    )


def read_graph(reading: Reading, tokens: Sequence[Token], kind: str) -> None:
    """Read a printed graph or program."""
    code = message_of(reading, tokens)
    name = _graph_name().search(code, 0, 4000)
    reading.events.append(
        GraphText(
            span=reading.span(tokens[0], tokens[-1]),
            process=reading.process,
            record=reading.record,
            kind=kind,
            name=(name.group(1) or name.group(2)) if name else None,
            code=code,
        )
    )


@cache
def _artifact() -> re.Pattern[str]:
    return expression(
        r"(?P<kind>(?:Output|Wrapper|Kernel|Header) code written to|Writing minified repro to"
        r"|Writing checkpoint with \d+ nodes to|Writing repro file to|debug trace|Minifier script written to"
        r"|Last frame execution written to|Writing FX graph to file)"
        r":?\s+(?P<path>\S+)"
    )


def read_artifact(reading: Reading, tokens: Sequence[Token]) -> None:
    """Read a path that torch wrote something to; the text stays readable too."""
    message = message_of(reading, tokens)
    for token in tokens:
        reading.plain(token, known=True)
    match = _artifact().search(message)
    if match is not None:
        reading.events.append(
            ArtifactPath(
                span=reading.span(tokens[0], tokens[-1]),
                process=reading.process,
                record=reading.record,
                kind=match["kind"].lower(),
                path=match["path"].rstrip(".,"),
            )
        )


@cache
def _warning() -> re.Pattern[str]:
    return expression(r"(?P<place>(?:[A-Za-z]:)?[^\n]*?:\d+): (?P<message>[^\n]*)")


def read_warning(reading: Reading, token: Token) -> None:
    """Read a warning of CPython's warnings module as a record of level WARNING."""
    line, _, below = reading.source(token).partition("\n")
    match = _warning().match(line)
    message = match["message"] if match else line
    if message.rstrip().endswith("Warning:"):
        # The message begins with a newline, so its first line stands where the source line would.
        message = f"{message.rstrip()} {below.strip()}"
    reading.events.append(
        LogRecord(
            span=reading.span(token),
            process=reading.process,
            record=RecordHeader(level=Level.WARNING, location=match["place"] if match else None),
            message=capped(message),
        )
    )
