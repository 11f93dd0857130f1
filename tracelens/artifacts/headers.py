"""Small questions to one record of a trace."""

from __future__ import annotations

import json
import re
from typing import Any

from tracelens.artifacts.metrics import read_header, text_of, whole_of
from tracelens.artifacts.records import TraceRecord
from tracelens.events import CompileId

#: What stands behind the fact itself in every header: where it belongs.
_CONTEXT = re.compile(
    rb'(?:"rank": (\d{1,9}), )?(?:"compiled_autograd_id": (\d{1,9}), )?'
    rb'"frame_id": (\d{1,9}), "frame_compile_id": (\d{1,9})'
    rb'(?:, "attempt": (\d{1,9}))?(?:, "has_payload": "[0-9a-f]{1,64}")?\}$'
)
_CONTEXT_NAMES = ("rank", "compiled_autograd_id", "frame_id", "frame_compile_id", "attempt")
_CONTEXT_LENGTH = 300


def read_context(header: bytes) -> dict[str, Any]:
    """Return the compile id and the rank of a header, if need be by reading all of it."""
    match = _CONTEXT.search(header, max(0, len(header) - _CONTEXT_LENGTH))
    if match is None:
        return read_header(header)
    return {name: int(value) for name, value in zip(_CONTEXT_NAMES, match.groups(), strict=True) if value is not None}


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
