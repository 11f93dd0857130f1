"""How a run compiles: what ``torch.compile`` is given, and what is set before.

Settings come from our own table of fixes, never from the text of a log.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_ARGUMENTS = frozenset({"backend", "mode", "dynamic", "fullgraph"})


def apply_settings(settings: dict[str, Any]) -> None:
    """Set what holds for the whole process: configuration of torch, and the stance."""
    for module, name, value in settings.get("config", ()):
        _set(module, name, value)
    if stance := settings.get("stance"):
        import torch

        torch.compiler.set_stance(stance)


def missing_setting(settings: dict[str, Any]) -> str | None:
    """Return what is to be set and this release of torch has not, or ``None``."""
    import torch

    if settings.get("stance") and not hasattr(torch.compiler, "set_stance"):
        return "torch.compiler.set_stance"
    options = [(module, name) for module, name, _ in settings.get("config", ())]
    return next((f"{module}.{name}" for module, name in options if not _is_known(module, name)), None)


def _is_known(module: str, name: str) -> bool:
    try:
        _owner_of(module, name)
    except (AttributeError, ImportError):
        return False
    return True


def _set(module: str, name: str, value: object) -> None:
    """Set one option by its dotted name; an option that this release does not know is an error of the run."""
    owner, last = _owner_of(module, name)
    setattr(owner, last, value)


def _owner_of(module: str, name: str) -> tuple[Any, str]:
    owner = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    if not hasattr(owner, last) and last == "recompile_limit":
        last = "cache_size_limit"  # its name before torch 2.6
    getattr(owner, last)
    return owner, last


def compile_as_set(function: Callable[..., Any], settings: dict[str, Any], **overrides: object) -> Any:  # noqa: ANN401 - what torch.compile gives
    """Compile a function as the settings say; ``overrides`` are what the job itself needs."""
    import torch

    arguments = {name: value for name, value in settings.items() if name in _ARGUMENTS}
    chosen: dict[str, Any] = {**overrides, **arguments}
    return torch.compile(function, **chosen)


def count_compiles() -> int:
    """Return how many graphs Dynamo handed to the backend so far."""
    from torch._dynamo.utils import counters

    return int(counters["stats"].get("unique_graphs", 0))
