"""What a toy is: a function, and the calls that make its guards fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One call; ``by_twin`` sends it to the second compiled function."""

    arguments: list[Any]
    gradients: bool = False
    by_twin: bool = False


@dataclass(frozen=True)
class Toy:
    """A function, its calls, and what the faulty program gives to ``torch.compile``."""

    function: Callable[..., Any]
    calls: Iterable[Call]
    settings: dict[str, Any] = field(default_factory=dict)
    twin: Callable[..., Any] | None = None
