"""What the log itself says of the machine that wrote it.

First what it states (collect_env, banners, version prints), then what paths
and tools give away. Nothing is concluded from what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracelens.engine.log import Log
from tracelens.events import CompilerDiagnostic, CompilerInvocation, EnvironmentReport, ExceptionChain, StackFrame
from tracelens.expressions import expression
from tracelens.findings import Environment
from tracelens.record import field_names
from tracelens.ruleset.model import Kind
from tracelens.typed import NamedTuple, cache

_MANAGERS = {
    "conda": "conda",
    "debian": "apt",
    "fedora": "dnf",
    "alpine": "apk",
    "arch": "pacman",
    "suse": "zypper",
    "macos": "brew",
}
_NAMES = {"windows": "Windows", "macos": "macOS"}
#: Words of an operating system's name, and the platform that rules call it.
_SYSTEMS: tuple[tuple[str, str], ...] = (
    (r"(?i)ubuntu|debian|mint|pop!?_?os|kali|raspbian", "debian"),
    (r"(?i)fedora|red ?hat|\brhel|centos|rocky|alma|amazon linux|oracle linux|scientific linux", "fedora"),
    (r"(?i)alpine", "alpine"),
    (r"(?i)\barch\b|manjaro|endeavour|cachyos", "arch"),
    (r"(?i)suse", "suse"),
    (r"(?i)windows|win32|win64", "windows"),
    (r"(?i)mac ?os|darwin", "macos"),
)
#: Paths that exist on one platform only.
_PATHS: tuple[tuple[str, str], ...] = (
    (r"(?m)^(?:[A-Za-z]:[\\/]|\\\\)", "windows"),
    (r"(?m)^(?:/Users/|/opt/homebrew/|/Library/|/usr/local/Cellar/|/private/var/|/var/folders/)|\.dylib\b", "macos"),
    (
        r"(?i)/(?:opt/conda|\w*conda\d?|mambaforge|miniforge\d?|micromamba)/|[\\/]envs[\\/][^\\/]+[\\/](?:lib|Lib)[\\/]",
        "conda",
    ),
    (r"(?m)^/usr/(?:local/)?lib/python3(?:\.\d+)?/dist-packages/", "debian"),
    (r"(?m)^/usr/(?:local/)?lib64/python3\.\d+/", "fedora"),
    (r"(?m)^/(?!/)\S", "linux"),
)
_FILE_NAME = expression(r"[\w.-]+")
_PYTHON = expression(r"[\\/](?:lib(?:64)?[\\/])?python(3\.\d{1,2})[\\/]|[\\/]Python(3)(\d{1,2})[\\/]", re.IGNORECASE)
_MAX_CHAINS = 64


class Machine(NamedTuple):
    """The environment, the platforms whose commands fit it (best first), and who ran it.

    ``linux`` among the platforms stands for a system that is no more closely known.
    """

    environment: Environment
    platforms: tuple[str, ...]
    is_root: bool
    script: str | None


def read_machine(log: Log) -> Machine:
    """Return what the events of a log tell of the machine."""
    facts: dict[str, str] = {}
    for event in _reports(log):
        for name, value in event.facts:
            facts.setdefault(name, value)
    paths = tuple(dict.fromkeys(frame.path for frame in _frames(log)))
    platforms = _platforms(log, facts, paths)
    if "python" not in facts:
        facts.update(_python_of(paths))
    if "package_manager" not in facts and platforms and platforms[0] in _MANAGERS:
        facts["package_manager"] = _MANAGERS[platforms[0]]
    named = [_NAMES[platform] for platform in platforms if platform in _NAMES]
    if named:
        facts.setdefault("os", named[0])
    ranks = {event.process.rank for event in log.events if event.process and event.process.rank is not None}
    known = set(field_names(Environment)) - {"ranks"}
    environment = Environment(
        **{name: value for name, value in facts.items() if name in known}, ranks=len(ranks) or None
    )
    return Machine(
        environment=environment,
        platforms=platforms,
        is_root=any(path.startswith("/root/") for path in paths),
        script=_script(log),
    )


def environment_captures(machine: Machine) -> dict[str, str]:
    """Return the facts that texts of every rule may use."""
    environment = machine.environment
    captures = {
        name: value
        for name in ("torch", "triton", "cuda", "python", "os", "gpu", "driver")
        if (value := getattr(environment, name))
    }
    if environment.python:
        captures["python_minor"] = ".".join(environment.python.split(".")[:2])
    if machine.script:
        captures["script"] = machine.script
    return captures


def _reports(log: Log) -> Iterator[EnvironmentReport]:
    for number in log.by_kind.get(Kind.ENVIRONMENT, ()):
        event = log.events[number]
        if isinstance(event, EnvironmentReport):
            yield event


def _frames(log: Log) -> Iterator[StackFrame]:
    for _, chain in log.chains[:_MAX_CHAINS]:
        for exception in chain.exceptions[:_MAX_CHAINS]:
            for frame in exception.frames[:400]:
                if isinstance(frame, StackFrame):
                    yield frame


def _platforms(log: Log, facts: dict[str, str], paths: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    stated = facts.get("os", "")
    if stated:
        found.update(dict.fromkeys(platform for pattern, platform in _compiled(_SYSTEMS) if pattern.search(stated)))
    everything = "\n".join((*paths, *_tool_paths(log)))
    # Paths of a conda environment and of a system tell both of them.
    found.update(dict.fromkeys(platform for pattern, platform in _compiled(_PATHS) if pattern.search(everything)))
    if any(event.tool == "msvc" for event in _diagnostics(log)):
        found["windows"] = None
    if "windows" in found or "macos" in found:
        # Linux paths may stand in such a log (WSL, a container), never the other way round.
        found = {name: None for name in found if name in ("windows", "macos", "conda")}
    # Conda needs no root, so it comes first; what is known in general only comes last.
    return tuple(sorted(found, key=lambda name: (name != "conda", name == "linux")))


def _tool_paths(log: Log) -> Iterator[str]:
    for event in _diagnostics(log):
        if event.path:
            yield event.path
    for number in log.by_kind.get(Kind.INVOCATION, ())[:_MAX_CHAINS]:
        invocation = log.events[number]
        if isinstance(invocation, CompilerInvocation):
            yield invocation.program


def _diagnostics(log: Log) -> Iterator[CompilerDiagnostic]:
    for number in log.by_kind.get(Kind.DIAGNOSTIC, ())[:_MAX_CHAINS]:
        event = log.events[number]
        if isinstance(event, CompilerDiagnostic):
            yield event


def _python_of(paths: tuple[str, ...]) -> dict[str, str]:
    for path in paths:
        match = _PYTHON.search(path)
        if match:
            return {"python": match[1] or f"{match[2]}.{match[3]}"}
    return {}


def _script(log: Log) -> str | None:
    """Return the user's script: the outermost frame of a traceback that is a module's top level."""
    for _, chain in log.chains[:_MAX_CHAINS]:
        name = _script_of(chain)
        if name:
            return name
    return None


def _script_of(chain: ExceptionChain) -> str | None:
    for exception in reversed(chain.exceptions[-8:]):
        for frame in exception.frames[:4]:
            if isinstance(frame, StackFrame) and frame.function == "<module>" and frame.path.endswith(".py"):
                name = frame.path.replace("\\", "/").rpartition("/")[2]
                return name if _FILE_NAME.fullmatch(name) else None
    return None


@cache
def _compiled(table: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((expression(pattern), platform) for pattern, platform in table)
