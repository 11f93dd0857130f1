"""The line of the user's own program that a failure came from."""

from __future__ import annotations

from tracelens.events import Event, ExceptionChain, Owner, StackFrame
from tracelens.findings import UserFrame


def user_frame_of(event: Event) -> UserFrame | None:
    """Return the newest stack frame in the user's own code; ``None`` where the log shows none."""
    if not isinstance(event, ExceptionChain):
        return None
    for exception in event.exceptions:
        for frame in reversed(exception.frames):
            if isinstance(frame, StackFrame) and frame.owner is Owner.USER and frame.line is not None:
                return UserFrame(path=frame.path, line=frame.line, function=frame.function, source=frame.source)
    return None
