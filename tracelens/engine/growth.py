"""Whether a number that a process tells again and again grows."""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.expressions import compiled

_SIZE = r"(\d+(?:\.\d+)?)(?:[ \t]*([kKMGT])i?(?:[bB]|\b))?"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
#: So many times are needed to tell growth from noise, so much has to be added, and so little be lost again at the end.
_LEAST, _GROWN, _KEPT = 3, 1.5, 0.9


def grows(texts: Iterable[str]) -> bool:
    """Tell whether sizes, in the order told, end half as high again as they began, and close to their highest."""
    sizes = [_size(text) for text in texts]
    return len(sizes) >= _LEAST and sizes[-1] >= _GROWN * sizes[0] > 0 and sizes[-1] >= _KEPT * max(sizes)


def _size(text: str) -> float:
    found = compiled(_SIZE).search(text.replace(",", ""))
    return float(found[1]) * _UNITS[(found[2] or "").upper()] if found else 0.0
