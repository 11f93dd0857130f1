"""The source room: from the arguments of a command to the undecorated lines of each process."""

from __future__ import annotations

from tracelens.source.feeds import Feed
from tracelens.source.inputs import Input, expand_inputs
from tracelens.source.strands import split_strands

__all__ = ["Feed", "Input", "expand_inputs", "split_strands"]
