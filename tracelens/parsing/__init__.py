"""Parsing: from the text of one process to events.

``parse_strand`` is total: any text gives events, and every line that is not
blank is counted either as understood or as not understood.

``strands`` is the way in. ``blocks`` cuts what is read on its own; ``classify`` turns lines
into tokens, by ``line_kinds`` and by how far what begins on one goes on (``reach``); long
runs become one token (``floods``, ``diagnostic_runs`` with ``stretches``), and of these
``repeats`` knows what was said before. ``machine`` drives the ``tables`` that Lark made of
``grammar/``. ``transform`` and its kin (``transform_chain``, ``transform_build``,
``transform_message``; ``reading`` is what they share) make events of the trees, with one
module for each thing that is read: ``exceptions``, ``told_above``, ``records``, ``exits``
(``exit_shapes``), ``diagnostics`` (``diagnostic_shapes``, ``diagnostic_words``), ``guards``
(``guard_kinds``), ``facts``. ``anchors`` tells the scan which lines are worth reading.
"""

from __future__ import annotations

from tracelens.parsing.repeats import Memory
from tracelens.parsing.strands import Parsed, parse_strand

__all__ = ["Memory", "Parsed", "parse_strand"]
