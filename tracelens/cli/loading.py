"""Modules of ours by their names: what ``importlib.import_module`` does, without the modules that this brings along."""

from __future__ import annotations

from types import ModuleType


def load_module(name: str) -> ModuleType:
    """Return a module, imported when it is first asked for."""
    return __import__(name, fromlist=["*"])
