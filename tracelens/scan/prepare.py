"""Get a finder ready: plan, engine and database, from the cache where possible."""

from __future__ import annotations

import sys
from _thread import get_ident
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module

from tracelens.scan.engines import Engine, HyperscanEngine, PythonEngine, Re2Engine, engine_names
from tracelens.scan.finder import HitFinder
from tracelens.scan.options import EngineName
from tracelens.scan.plan import FORMAT, Plan
from tracelens.scan.plan_cache import cpu_description, read_entry, write_entry


def make_finder(anchors: Sequence[str], wanted: EngineName, *, cache: bool) -> HitFinder:
    """Return a finder with the best engine that is installed.

    Raises ``AnchorError`` for a bad anchor, and ``ImportError`` where a certain
    engine was asked for that is not there.
    """
    for name in engine_names(wanted):
        try:
            plan, engine = prepared(name, tuple(anchors), cache, get_ident())
        except ImportError:
            if name == wanted:
                raise
            continue
        return HitFinder(plan, engine, partial(_make_engine, name))
    raise AssertionError(wanted)


# One process may read thousands of files, and two threads cannot share an engine.
@lru_cache(maxsize=8)
def prepared(name: EngineName, anchors: tuple[str, ...], cache: bool, _thread: int) -> tuple[Plan, Engine]:  # noqa: FBT001
    """Return a plan and an engine for it, from memory, from the cache or made anew."""
    key = _key(name, anchors) if cache else b""
    stored = read_entry(key) if cache else None
    if stored is not None:
        with suppress(ValueError):
            return _restore(name, stored)
    if name != "python":
        import_module(name)  # before the work, so that a missing engine costs nothing
    from tracelens.scan.gates import make_plan

    plan = make_plan(anchors, name)
    engine = _make_engine(name, plan)
    if cache:
        database = engine.serialize() if isinstance(engine, HyperscanEngine) else b""
        text = plan.to_json().encode()
        write_entry(key, len(text).to_bytes(8, "big") + text + database)
    return plan, engine


def _restore(name: EngineName, stored: bytes) -> tuple[Plan, Engine]:
    size = int.from_bytes(stored[:8], "big")
    plan = Plan.from_json(stored[8 : 8 + size].decode())
    if name == "hyperscan":
        return plan, HyperscanEngine((), stored[8 + size :])
    return plan, _make_engine(name, plan)


def _make_engine(name: EngineName, plan: Plan) -> Engine:
    if name == "hyperscan":
        return HyperscanEngine(plan.gates())
    return Re2Engine(plan.gates()) if name == "re2" else PythonEngine(plan.gates())


def _key(name: EngineName, anchors: tuple[str, ...]) -> bytes:
    version = cpu = ""
    if name == "hyperscan":
        version = str(getattr(import_module("hyperscan"), "__version__", ""))
        cpu = cpu_description()
    parts = (name, version, cpu, str(FORMAT), sys.version, *anchors)
    return "\0".join(parts).encode("utf-8", "surrogatepass")
