"""Small questions to one record of a trace."""

from __future__ import annotations

import json
from typing import Any

from tracelens.artifacts.metrics import text_of, whole_of
from tracelens.artifacts.records import TraceRecord
from tracelens.events import CompileId

_LONGEST_HEAD = 600


def short_header(header: dict[str, Any]) -> str:
    """Return the beginning of a header, as evidence shows it."""
    return json.dumps({name: header[name] for name in list(header)[:1]})[:_LONGEST_HEAD]


def compile_id_of(header: dict[str, Any]) -> CompileId | None:
    """Return the compile id that a header carries."""
    frame, again = whole_of(header.get("frame_id")), whole_of(header.get("frame_compile_id"))
    if frame is None or again is None:
        return None
    return CompileId(
        frame_id=frame,
        frame_compile_id=again,
        compiled_autograd_id=whole_of(header.get("compiled_autograd_id")),
        attempt=whole_of(header.get("attempt")) or 0,
    )


def spelled(compile_id: CompileId) -> str:
    """Spell a compile id as torch does, without the attempt."""
    autograd = "" if compile_id.compiled_autograd_id is None else f"!{compile_id.compiled_autograd_id}/"
    return f"{autograd}{compile_id.frame_id}/{compile_id.frame_compile_id}"


def payload_text(record: TraceRecord) -> str:
    """Return a payload as it was before each line got its TAB."""
    return record.payload.decode("utf-8", "surrogateescape").removeprefix("\t").replace("\n\t", "\n")


def payload_json(record: TraceRecord) -> dict[str, Any]:
    """Return the JSON object of a payload; empty where it is none."""
    try:
        found = json.loads(record.payload)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def failure_in_words(metrics: dict[str, Any]) -> str | None:
    """Return on one line how a compilation failed, if it did."""
    kind, reason = text_of(metrics.get("fail_type"), 200), text_of(metrics.get("fail_reason")) or ""
    return None if kind is None else f"{kind}: {reason.partition(chr(10))[0][:400]}"
