"""Artifacts that torch leaves beside a log: structured traces, debug folders, repro scripts.

They yield the same events that a log does, so that one engine judges both.
"""

from __future__ import annotations

from tracelens.artifacts.named import find_named
from tracelens.artifacts.reading import ArtifactReading

__all__ = ["ArtifactReading", "find_named"]
