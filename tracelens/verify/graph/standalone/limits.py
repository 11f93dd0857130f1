"""How much of a text is read; real graphs stay far below each of these."""

from __future__ import annotations

MAX_TEXT_BYTES = 8 << 20
MAX_LINES = 60_000
MAX_LINE_LENGTH = 600_000
#: Brackets within brackets, and expressions within expressions.
MAX_DEPTH = 40
#: ``- - - x`` and ``x.y.z``: how many in a row.
MAX_CHAIN = 12
MAX_NODES = 20_000
MAX_PARAMETERS = 5_000
MAX_ITEMS = 20_000
MAX_STRING = 4_000
MAX_INTEGER = 2**63
#: Of one dimension; larger ones cannot be allocated anywhere.
MAX_SIZE = 2**40
MAX_SIZE_EXPRESSION = 400
MAX_CLASSES = 200

#: Of the child that reads a text.
READER_MEMORY = 1 << 30
READER_CPU_SECONDS = 20
READER_WALL_SECONDS = 60
