"""Runs a command, and knows of its end what no log can tell.

The command keeps its own terminal behaviour: a terminal where it had one,
pipes where it had pipes, its input, its signals and its exit code. What it
prints passes through untouched; a bounded copy stays for the diagnosis.
"""
