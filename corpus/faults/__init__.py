"""Faults that are injected into a real torch, and fixes that are tried on them.

A development tool: nothing of it is shipped. ``python -m corpus.faults`` runs the
faults that need no GPU, ``python -m corpus.faults.gpu`` the others; what came of
it stands in ``RESULTS.md`` beside this file.
"""
