"""The job of finding out whether torch is there, and which one."""

from __future__ import annotations

from typing import Any

from .result import Result


def run(_job: dict[str, Any], _result: Result) -> None:
    """Do nothing: what was asked was noted when torch was imported."""
