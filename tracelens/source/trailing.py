"""Take off the blanks behind lines that a screen or a table cell was filled up with.

They say nothing, and they would make lines of one length look like lines that
were cut at that length. Where few lines end in blanks they stay: the cut of a
wrapped line may fall among them.
"""

from __future__ import annotations

from tracelens.source.rows import Rows


def may_be_filled_up(text: str) -> bool:
    """Tell whether half of the lines end in two blanks, or each line in one."""
    blanks = text.count(" \n")
    return blanks > 0 and (2 * text.count("  \n") >= text.count("\n") or _ends_blank(text.split("\n")))


def trim(rows: Rows) -> Rows | None:
    """Take off the blanks behind the rows of a text that was filled up."""
    filled = [text for text in rows.texts if text.strip()]
    padded = sum(1 for text in filled if text.endswith("  "))
    if not filled or (2 * padded < len(filled) and not _ends_blank(filled)):
        return None
    return rows.with_texts([text.rstrip(" ") for text in rows.texts])


def _ends_blank(texts: list[str]) -> bool:
    return all(text.endswith(" ") for text in texts if text)
