"""What a disguise is: something that happens to a log on its way to whoever reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

#: Changes the lines of a log; whatever is left to chance is drawn from the generator.
Change = Callable[[Sequence[str], Random], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disguise:
    """One way in which a log changes its looks.

    ``loses`` says that lines go missing, so that what proved the answer may be
    gone. ``least`` is the number of lines below which nobody could tell the
    disguise from the log itself; what has a match of ``unlike`` cannot wear it.
    """

    name: str
    change: Change
    loses: bool = False
    least: int = 1
    unlike: re.Pattern[str] | None = None

    def fits(self, text: str) -> bool:
        """Tell whether a log can look like this at all."""
        return text.count("\n") >= self.least and (self.unlike is None or not self.unlike.search(text))

    def put_on(self, text: str, random: Random) -> str:
        """Return a text in this disguise."""
        return "\n".join(self.change(text.removesuffix("\n").split("\n"), random)) + "\n"


def each_line(name: str, change: Callable[[int, str], str], *, least: int = 1) -> Disguise:
    """Make a disguise that does the same to every line, given its number and text."""
    return Disguise(
        name=name, change=lambda lines, _random: [change(i, line) for i, line in enumerate(lines)], least=least
    )
