"""Finds the modules to read in an installed or unpacked torch or Triton."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from corpus.lab.inventory.extract import extract_sites
from corpus.lab.inventory.index import Index
from corpus.lab.inventory.modules import Module, read_module
from corpus.lab.inventory.sites import How, Site
from corpus.lab.inventory.templates import Hole, Part, joined

#: What of each package can speak to the user of torch.compile.
_READ = {
    "torch": (
        "_dynamo",
        "_inductor",
        "_functorch",
        "fx/experimental/symbolic_shapes.py",
        "utils/cpp_extension.py",
        "utils/_cpp_extension_versioner.py",
        "utils/_triton.py",
        "utils/file_baton.py",
        "cuda/__init__.py",
    ),
    "triton": (
        "runtime",
        "compiler",
        "backends",
        "common",
        "third_party",
        "compiler.py",
        "knobs.py",
        "errors.py",
        "_utils.py",
        "__init__.py",
    ),
}
#: Folders of generated tables, large and without a message.
_GENERATED = ("serialized_patterns", "artifacts")
_REGISTRY = "_dynamo/graph_break_registry.json"
_VERSION = re.compile(r"""^__version__(?:: \w+)? = ['"]([^'"+]+)""", re.MULTILINE)
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One package of one version; ``folder`` holds its Python files."""

    package: str
    version: str
    folder: Path

    @property
    def name(self) -> str:
        """Return how people call it: ``torch 2.13.0``."""
        return f"{self.package} {self.version}"

    @property
    def order(self) -> tuple[int, ...]:
        """Return the version as numbers, for sorting."""
        return tuple(int(number) for number in re.findall(r"\d+", self.version))


def find_releases(argument: str) -> list[Release]:
    """Return what a path holds: a package, or a folder with packages; or an installed package by its name."""
    path = Path(argument)
    if not path.is_dir() and argument in _READ:
        found = installed(argument)
        return [found] if found else []
    folders = [path] if path.name in _READ else [path / package for package in _READ]
    return [
        Release(package=folder.name, version=_version(folder), folder=folder)
        for folder in folders
        if (folder / "__init__.py").is_file()
    ]


def installed(package: str) -> Release | None:
    """Return the package that this Python would import, without importing it."""
    try:
        found = distribution(package)
    except PackageNotFoundError:
        return None
    folder = Path(str(found.locate_file(package)))
    if not folder.is_dir():
        return None
    return Release(package=package, version=found.version.partition("+")[0], folder=folder)


def read_release(release: Release) -> tuple[Site, ...]:
    """Return the message sites of a release, each key once, in the order of the files."""
    with _no_collection():
        modules = list(_modules(release))
        index = Index(modules)
        sites = [site for module in modules for site in extract_sites(module, index)]
    sites += _registered(release)
    first: dict[str, Site] = {}
    for site in sites:
        first.setdefault(site.key, site)
    return tuple(first.values())


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from walking millions of tree nodes, which takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _modules(release: Release) -> Iterator[Module]:
    for entry in _READ[release.package]:
        path = release.folder / entry
        files = [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))
        for file in files:
            if not file.is_file() or any(part in _GENERATED for part in file.parts):
                continue
            place = file.relative_to(release.folder.parent).with_suffix("").as_posix()
            module = read_module(file, place)
            if module is not None:
                yield module


def _registered(release: Release) -> Iterator[Site]:
    """Yield the graph breaks that torch lists by number, with those of earlier releases."""
    file = release.folder / _REGISTRY
    if not file.is_file():
        return
    for number, entries in json.loads(file.read_text(encoding="utf-8")).items():
        for entry in entries:
            hints = "".join(f"\n  Hint: {hint}" for hint in entry["Hints"])
            said = f"{entry['Gb_type']}\n  Explanation: {entry['Explanation']}{hints}"
            yield Site(
                module="torch/_dynamo/graph_break_registry",
                function=number,
                how=How.BROKEN,
                kind="Unsupported",
                printed="torch._dynamo.exc.Unsupported",
                template=_with_holes(f"{said}\n\n  Developer debug context: {entry['Context']}"),
                line=1,
                source="unimplemented(",
            )


def _with_holes(said: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    position = 0
    for match in _BRACES.finditer(said):
        parts += [said[position : match.start()], Hole(match[0].strip("{}"))]
        position = match.end()
    return joined([*parts, said[position:]])


def _version(folder: Path) -> str:
    """Read a version without importing: from version.py, __init__.py or the metadata beside the package."""
    for file in (folder / "version.py", folder / "__init__.py"):
        match = _VERSION.search(file.read_text(encoding="utf-8")) if file.is_file() else None
        if match:
            return match[1]
    metadata = sorted(folder.parent.glob(f"{folder.name}-*.dist-info"))
    return metadata[0].name.removesuffix(".dist-info").partition("-")[2] if metadata else "unknown"
