"""What a log says again and again: read a few times, then counted.

A failed build quotes the same warnings a thousand times, a loop fails on every
item. Reading each of these would make events that are only counted in the end.
So a text that was read often enough, or had many like it, is no longer read:
of each strand only the last of it is, and the number of all.
"""

from __future__ import annotations

from tracelens.alike import ALIKE_KEPT, EQUAL_KEPT
from tracelens.parsing.stretches import Place, Stretches
from tracelens.text import Process

#: Shapes told apart.
_SHAPES = 2048
#: Characters of texts that are remembered.
_REMEMBERED = 1 << 20
#: Processes of a log that are remembered.
_PROCESSES = 64


class Tally:
    """What is known of a text, or of all texts of a shape.

    While there is ``room`` it is to be read; what comes after that is counted
    by ``times``, the last of it standing at ``latest``.
    """

    __slots__ = ("different", "latest", "room", "times")

    def __init__(self, room: int) -> None:
        """Begin with nothing counted."""
        self.room = room
        self.different = 0
        self.times = 0
        self.latest: Place | None = None


class Tallies:
    """The tallies of one kind of text."""

    __slots__ = ("_remembered", "_shapes", "others", "texts")

    def __init__(self) -> None:
        """Begin with nothing said."""
        #: Texts that were said before; ``first`` knows what to do with others.
        self.texts: dict[str, Tally] = {}
        #: Whatever had a shape that there was no room for; no two of these need to be alike.
        self.others = Tally(0)
        self._shapes: dict[bytes, Tally] = {}
        self._remembered = 0

    def first(self, text: str, shape: bytes) -> Tally:
        """Return what a text belongs to that is not among ``texts``, given what is left of it without its numbers."""
        alike = self._shapes.get(shape)
        if alike is None:
            if len(self._shapes) >= _SHAPES:
                return self.others
            alike = self._shapes[shape] = Tally(0)
        if alike.different >= ALIKE_KEPT:
            return alike
        alike.different += 1
        tally = Tally(EQUAL_KEPT)
        if self._remembered < _REMEMBERED:
            self._remembered += len(text)
            self.texts[text] = tally
        return tally

    def counted(self) -> list[Tally]:
        """Return what was not only read, but counted."""
        return [tally for known in (self.texts, self._shapes) for tally in known.values() if tally.times]


class Flood:
    """Lines of one kind that say all by themselves.

    ``known`` has for each shape of them how many were looked at, and how much
    of a line can tell that the next one belongs to it.
    """

    __slots__ = ("known", "tallies")

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.known: dict[bytes, tuple[int, int]] = {}
        self.tallies = Tallies()


class ProcessMemory:
    """What one process has said so far, by kinds of text."""

    __slots__ = ("diagnosed", "floods", "stretches")

    def __init__(self) -> None:
        """Begin with nothing said."""
        #: Compiler messages, and how they follow each other.
        self.diagnosed = Tallies()
        self.stretches = Stretches()
        #: By the kind of the lines.
        self.floods: dict[str, Flood] = {}


class Memory:
    """What the strands of one log have said so far."""

    __slots__ = ("_processes",)

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._processes: dict[Process | None, ProcessMemory] = {}

    def of(self, process: Process | None) -> ProcessMemory:
        """Return what a process has said so far."""
        memory = self._processes.get(process)
        if memory is None:
            memory = ProcessMemory()
            if len(self._processes) < _PROCESSES:
                self._processes[process] = memory
        return memory
