"""Break text into rows of a given number of terminal cells.

``textwrap`` counts characters; a log holds CJK text and emoji, which take two
cells. Words that are longer than a row (paths, mangled names) are broken.
"""

from __future__ import annotations

#: What a report is drawn with, and compilers quote with: one cell each.
_NARROW = dict.fromkeys(map(ord, "·│─✓✗→…—‘’“”?×"), "x")


def cell_width(text: str) -> int:
    """Return how many terminal cells ``text`` takes."""
    if text.isascii() or text.translate(_NARROW).isascii():
        return len(text)
    # Imported late: only text beyond ASCII and our own symbols needs the tables.
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, width: int, ellipsis: str) -> str:
    """Cut ``text`` to ``width`` cells, its end replaced by ``ellipsis``."""
    if cell_width(text) <= width:
        return text
    end = max(0, width - len(ellipsis))
    return _head(text, end) + ellipsis


def wrap(text: str, width: int) -> list[str]:
    """Return the rows of ``text``, at least one; leading blanks are kept."""
    width = max(1, width)
    rows: list[str] = []
    while cell_width(text) > width:
        head = _head(text, width)
        cut = len(head) if text[len(head)] == " " else head.rfind(" ")
        # Breaking at a blank must not leave half a row empty.
        if cut <= 0 or cut < len(head) // 2 or not head[:cut].strip():
            cut = max(1, len(head))
        rows.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    if text or not rows:
        rows.append(text)
    return rows


def _head(text: str, width: int) -> str:
    if text[: width + 1].isascii():
        return text[:width]
    end = min(len(text), width)
    while end > 1 and cell_width(text[:end]) > width:
        end -= max(1, (cell_width(text[:end]) - width) // 2)
    return text[:end]
