"""What a user can choose about a verification."""

from __future__ import annotations

import os
import sys

from tracelens.record import Record

_LEAST_MEMORY = 8 * 2**30
_SHARE_OF_MEMORY = 0.75


def usual_memory() -> int:
    """Return the bytes that a child may take: most of the machine, and enough to load a torch built for CUDA."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_LEAST_MEMORY, int(whole * _SHARE_OF_MEMORY))


class VerifyOptions(Record):
    """How runs are made.

    ``device`` is ``None`` where the failure decides; ``tries`` names advice that is
    tried beside the recommended fixes; ``seconds`` bounds each run.
    """

    python: str = sys.executable
    device: str | None = None
    seconds: float = 300.0
    memory: int = 0
    tries: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    matrix: bool = False
    #: The rules whose fixes are applied, ``None`` for all: commands of a stranger's rule are only shown.
    trusted: frozenset[str] | None = None
