"""The command line: read arguments, call the layers below, choose the exit code."""

from tracelens.cli.interrupts import plain_interrupts

with plain_interrupts():
    from tracelens.cli.entry import console

__all__ = ["console"]
