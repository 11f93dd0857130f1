"""The command line: read arguments, call the layers below, choose the exit code."""

from tracelens.cli.interrupts import PlainInterrupts

with PlainInterrupts():
    from tracelens.cli.entry import console

__all__ = ["console"]
