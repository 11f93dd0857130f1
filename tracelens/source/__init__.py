"""The source room: from the arguments of a command to the undecorated lines of each process.

To bytes: ``inputs`` finds what to read (``log_names``, ``artifact_names``), ``archives``,
``compression`` (``magic``, ``bombs``) and ``encodings`` unpack it, and ``feeds`` hands it
out, from whatever ``bytesources`` there is; ``own_reports`` are read as their logs.

To lines: ``strands`` looks for signs of decoration (``signs``, ``codes``, ``widths``), and
only where there is one does ``settling`` begin. It cuts text into ``rows`` (``controls``),
and has steps, each a module, take one kind of decoration off: ``trailing``, ``padding``,
``wrapping``, ``word_wrapping``, ``peeling`` (``decorations``), ``json_lines`` (``json_failures``,
``json_spread``), ``csv_rows``, ``quoted_rows``, ``escaped``, ``columns``, ``stamps``, ``doubling``,
``boxes``, ``indentation``, ``frames``. They share ``line_starts``, ``gaps``, ``field_names``, and in
``identity`` who printed a line.
"""

from __future__ import annotations

from tracelens.source.feeds import Feed
from tracelens.source.inputs import Input, expand_inputs
from tracelens.source.strands import split_strands

__all__ = ["Feed", "Input", "expand_inputs", "split_strands"]
