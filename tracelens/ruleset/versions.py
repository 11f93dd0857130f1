"""Version ranges such as ``>=2.6,<2.9``, read as the authors of rules mean them.

A version is compared as far as the range spells it: 2.5.1 is within ``<=2.5``
and 2.6.0a0 within ``>=2.6``, since a nightly behaves like what it leads to.
"""

from __future__ import annotations

import operator
import re

_BOUND = r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*"
_OPERATORS = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}

#: What a rule may be narrowed by: names of facts in the environment of a log.
SUBJECTS = ("torch", "triton", "cuda", "python")


def is_range(text: str) -> bool:
    """Tell whether a text is a version range."""
    return all(re.fullmatch(_BOUND, bound) for bound in text.split(","))


def is_within(version: str, bounds: str) -> bool:
    """Tell whether a version lies in a range; one that cannot be read lies in every range."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    if found is None:
        return True
    have = _numbers(found.group())
    for bound in bounds.split(","):
        match = re.fullmatch(_BOUND, bound)
        if match is None:
            continue
        wanted = _numbers(match[2])
        padded = (*have, *(0 for _ in wanted))[: len(wanted)]
        if not _OPERATORS[match[1]](padded, wanted):
            return False
    return True


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:6])
