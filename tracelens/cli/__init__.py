"""The command line: read arguments, call the layers below, choose the exit code."""

from tracelens.cli.interrupts import plain_interrupts

with plain_interrupts():
    from tracelens.cli.entry import console
    from tracelens.cli.main import main

__all__ = ["console", "main"]
