"""Which messages each release has, as read so far: what is new and gone is told by it.

One text file a package. A line holds what names a site (function, kind, hash),
the releases that have it and what the map says of it; the message itself stays
out. ``2.4-2.9,2.11-`` reads: from 2.4 to 2.9, and from 2.11 to the newest read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from corpus.lab.inventory.decisions import Chapter, decide
from corpus.lab.inventory.releases import Release
from corpus.lab.inventory.sites import Site

FOLDER = Path(__file__).with_name("ledger")
_READ = "# read: "
_UNMAPPED = "?"


@dataclass(slots=True)
class Ledger:
    """The sites of one package: key -> releases that have it, key -> what the map says."""

    package: str
    read: list[str] = field(default_factory=list)
    releases: dict[str, set[str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def keys_of(self, version: str) -> set[str]:
        """Return the sites that a release has, or that the newest read before it has."""
        before = [known for known in self.read if order_of(known) <= order_of(version)]
        if not before:
            return set()
        return {key for key, versions in self.releases.items() if before[-1] in versions}

    def take_in(self, release: Release, sites: Iterable[Site], chapters: tuple[Chapter, ...]) -> None:
        """Note the sites of a release."""
        if release.version not in self.read:
            self.read = sorted([*self.read, release.version], key=order_of)
        for versions in self.releases.values():
            versions.discard(release.version)
        for site in sites:
            decision = decide(site, chapters)
            self.releases.setdefault(site.key, set()).add(release.version)
            self.labels[site.key] = " or ".join(decision.labels) if decision else _UNMAPPED


def order_of(version: str) -> tuple[int, ...]:
    """Return a version as numbers, for sorting."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def load_ledger(package: str, folder: Path = FOLDER) -> Ledger:
    """Read what is known of a package; nothing, where nothing was written yet."""
    ledger = Ledger(package=package)
    file = folder / f"{package}.txt"
    module = ""
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        if line.startswith(_READ):
            ledger.read = line.removeprefix(_READ).split()
        elif line.startswith("  "):
            function, kind, digest, spans, label = line.strip().split(" ", 4)
            key = f"{module} {function} {kind} {digest}"
            ledger.releases[key] = _expanded(spans, ledger.read)
            ledger.labels[key] = label
        elif line and not line.startswith("#"):
            module = line
    return ledger


def write_ledger(ledger: Ledger, folder: Path = FOLDER) -> None:
    """Write what is known of a package, sorted, so that a diff shows what a release changed."""
    lines = [
        f"# Message sites of {ledger.package}; made by `make inventory ARGS=--write`, see CONTRIBUTING.md.",
        _READ + " ".join(ledger.read),
    ]
    module = None
    for key in sorted(key for key, versions in ledger.releases.items() if versions):
        place, _, rest = key.partition(" ")
        if place != module:
            lines.append(place)
            module = place
        lines.append(f"  {rest} {_spans(ledger.releases[key], ledger.read)} {ledger.labels[key]}")
    folder.mkdir(exist_ok=True)
    (folder / f"{ledger.package}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def by_package(releases: Iterable[Release], folder: Path = FOLDER) -> Mapping[str, Ledger]:
    """Return the ledgers of the packages among some releases."""
    return {package: load_ledger(package, folder) for package in dict.fromkeys(each.package for each in releases)}


def _spans(versions: set[str], read: list[str]) -> str:
    """Spell a set of releases as runs of those that were read; an open run reaches the newest."""
    runs: list[list[str]] = []
    previous = -2
    for number, version in enumerate(read):
        if version not in versions:
            continue
        if number != previous + 1:
            runs.append([])
        runs[-1].append(version)
        previous = number
    spelled = [f"{run[0]}-{run[-1]}" if run[-1] != run[0] else run[0] for run in runs]
    if runs and runs[-1][-1] == read[-1]:
        spelled[-1] = f"{runs[-1][0]}-"
    return ",".join(spelled)


def _expanded(spans: str, read: list[str]) -> set[str]:
    versions: set[str] = set()
    for span in spans.split(","):
        first, dash, last = span.partition("-")
        start = read.index(first)
        end = len(read) - 1 if dash and not last else read.index(last or first)
        versions.update(read[start : end + 1])
    return versions
