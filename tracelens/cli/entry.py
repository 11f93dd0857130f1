"""The ``tracelens`` that a shell starts: ``main``, and a process that is begun and ended cheaply.

Freeing object by object what the system frees at once, and looking for garbage
among rules that live to the end, would cost a small log a sixth of its time.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from tracelens.cli.interrupts import PlainInterrupts
from tracelens.typed import NoReturn

#: New objects between two looks for garbage; what is analysed makes next to none.
_OBJECTS = 100_000


def console() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    gc.set_threshold(_OBJECTS)
    with PlainInterrupts():
        # What is imported is not garbage either.
        from tracelens.cli.main import main
    code = main()
    # Coverage, a profiler or a thread may want to see the end of Python.
    if atexit._ncallbacks() or "threading" in sys.modules:  # noqa: SLF001 - nothing public tells
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
