"""Message sites: the places in a release where a message is made that a user can see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from corpus.lab.inventory.templates import Template, digest, flat


class How(Enum):
    """The way in which a message leaves the program."""

    RAISED = "raised"
    LOGGED = "logged"
    WARNED = "warned"
    BROKEN = "graph break"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One message of one release.

    ``module`` is the path without its suffix, ``function`` is qualified.
    ``kind`` is the bare exception or warning class, or the log level.
    ``printed`` is the class as a traceback spells it. ``line`` is 1-based.
    """

    module: str
    function: str
    how: How
    kind: str
    printed: str
    template: Template
    line: int
    source: str

    @property
    def key(self) -> str:
        """Name the site so that a later release that says the same has the same key."""
        return f"{settled(self.module)} {self.function} {self.kind} {digest(self.template)}"

    @property
    def flat(self) -> str:
        """Return the message as the map sees it."""
        return flat(self.template)


#: Files that moved, or lie elsewhere in some releases: (then, now).
_MOVED = (
    ("torch/_inductor/triton_heuristics", "torch/_inductor/runtime/triton_heuristics"),
    ("torch/_inductor/triton_helpers", "torch/_inductor/runtime/triton_helpers"),
    ("torch/_inductor/coordinate_descent_tuner", "torch/_inductor/runtime/coordinate_descent_tuner"),
    ("torch/_inductor/codegen/cuda/", "torch/_inductor/codegen/cutlass/"),
    ("torch/_inductor/codegen/xpu/", "torch/_inductor/codegen/cutlass/"),
    ("torch/_dynamo/optimizations/", "torch/_dynamo/backends/"),
    ("triton/third_party/", "triton/backends/"),
    ("triton/compiler/backends/", "triton/backends/"),
    ("triton/common/build", "triton/runtime/build"),
)


def settled(module: str) -> str:
    """Return the place of a module without the accidents of one release."""
    place = "triton/compiler/compiler" if module == "triton/compiler" else module.removesuffix("/__init__")
    for then, now in _MOVED:
        place = place.replace(then, now)
    return place
