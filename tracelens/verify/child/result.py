"""What a child tells its parent: one JSON object, over a pipe of its own.

Standard output and error stay free for what torch prints, which the parent
reads as the log of this run.
"""

from __future__ import annotations

import json
import os
from enum import Enum
from typing import Any

#: The longest result that fits into a pipe that nobody reads yet.
_LARGEST = 60_000


class Reached(Enum):
    """How far a child came."""

    START = "start"
    IMPORT = "import"
    NO_DEVICE = "no device"
    NO_SETTING = "no setting"
    #: A module that Inductor left in the cache.
    FIND = "find"
    NO_MODULE = "no module"
    #: A graph from its text, which this torch or machine may refuse.
    BUILD = "build"
    REFUSED = "refused"
    EAGER = "eager"
    COMPILE = "compile"
    COMPARE = "compare"
    #: Once more, for the time that steps take.
    RUN = "run"
    DONE = "done"


class Result:
    """The facts of one run, as far as it came; ``stage`` says how far."""

    def __init__(self, descriptor: int) -> None:
        """Begin, with nothing known."""
        self._descriptor = descriptor
        self.facts: dict[str, Any] = {"stage": Reached.START.value, "notes": []}

    def reach(self, stage: Reached) -> None:
        """Note that a stage begins."""
        self.facts["stage"] = stage.value

    def note(self, words: str) -> None:
        """Add a remark for the reader, once."""
        if words not in self.facts["notes"]:
            self.facts["notes"].append(words)

    def send(self) -> None:
        """Hand over what is known; a child that died before has told nothing."""
        data = json.dumps(self.facts).encode()
        if len(data) > _LARGEST:
            data = json.dumps({"stage": self.facts["stage"], "notes": ["the result was too long"]}).encode()
        os.write(self._descriptor, data)
        os.close(self._descriptor)
