"""Read what torch and Triton releases can say, and compare it with the map and the rules.

``make inventory RELEASES="torch path/to/unpacked"``: a release is a folder that holds
``torch/`` or ``triton/``, the name of an installed package, or, with ``--download
FOLDER``, ``torch==2.14.1``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from corpus.lab.inventory.decisions import Chapter, load_map
from corpus.lab.inventory.download import download
from corpus.lab.inventory.figures import HEAD, Figures, count
from corpus.lab.inventory.judging import Verdict, judge, unmapped
from corpus.lab.inventory.ledger import Ledger, by_package, write_ledger
from corpus.lab.inventory.releases import Release, find_releases, read_release
from corpus.lab.inventory.sites import Site
from corpus.lab.inventory.tools import judge_tools, load_tool_messages


def main() -> int:
    """Print what is new, gone, unmapped or answered otherwise; return 1 where something is."""
    options = parse_arguments()
    chapters = load_map()
    releases = sorted(find_all(options.releases, options.download), key=lambda each: (each.package, each.order))
    ledgers = by_package(releases)
    rows: list[Figures] = []
    wrong = 0
    for release in releases:
        row, disagreements = compare(release, ledgers[release.package], chapters, options)
        rows.append(row)
        wrong += row.unmapped + disagreements
    if options.write:
        for ledger in ledgers.values():
            write_ledger(ledger)
    if not options.no_judge:
        wrong += print_tools()
    print("\n".join([HEAD, *map(str, rows)]))
    return 1 if wrong else 0


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m corpus.lab.inventory", description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE", help="a folder, torch, triton, or torch==VERSION")
    parser.add_argument("--download", type=Path, metavar="FOLDER", help="fetch torch==VERSION by pip into this folder")
    parser.add_argument("--write", action="store_true", help="note the releases in the ledger")
    parser.add_argument("--no-judge", action="store_true", help="only compare with the ledger and the map")
    parser.add_argument("--new", action="store_true", help="show each message that is new, with its text")
    return parser.parse_args()


def find_all(arguments: Iterable[str], folder: Path | None) -> list[Release]:
    """Find the releases of the command line; an argument without one ends the program."""
    found: list[Release] = []
    for argument in arguments:
        package, pinned, version = argument.partition("==")
        if pinned and folder is None:
            sys.exit(f"{argument}: say --download FOLDER to fetch it")
        place = str(download(package, version, folder)) if pinned and folder else argument
        releases = find_releases(place)
        if not releases:
            sys.exit(f"{argument}: holds no torch and no triton, and is no installed one")
        found += releases
    return found


def compare(
    release: Release, ledger: Ledger, chapters: tuple[Chapter, ...], options: argparse.Namespace
) -> tuple[Figures, int]:
    """Print how one release differs from what is known; return its figures and the number of disagreements."""
    sites = read_release(release)
    known = ledger.keys_of(release.version)
    new = [site for site in sites if site.key not in known]
    gone = known - {site.key for site in sites}
    missing = unmapped(sites, chapters)
    for site in missing:
        print(f"unmapped: {described(site)}")
    if options.new:
        print("".join(f"new: {described(site)}\n" for site in new), end="")
    verdicts: tuple[Verdict, ...] = () if options.no_judge else tuple(judge(release, sites, chapters))
    disagreements = [verdict for verdict in verdicts if not verdict.is_right]
    for verdict in disagreements:
        print(f"disagreed: {verdict}\n    {verdict.site.flat[:200]}")
    if options.write:
        ledger.take_in(release, sites, chapters)
    figures = Figures(
        name=release.name,
        messages=len(sites),
        unmapped=len(missing),
        new=len(new),
        gone=len(gone),
        **count(verdicts),
    )
    return figures, len(disagreements)


def print_tools() -> int:
    """Print the facts about tools that are answered otherwise; return how many."""
    verdicts = tuple(judge_tools(load_tool_messages()))
    wrong = [verdict for verdict in verdicts if not verdict.is_right]
    for verdict in wrong:
        print(f"disagreed: {verdict}")
    print(f"tools below torch: {len(verdicts)} messages in their circumstances, {len(verdicts) - len(wrong)} agreed")
    return len(wrong)


def described(site: Site) -> str:
    """Spell a site with its message, for somebody who has to decide about it."""
    return f"{site.key} (line {site.line})\n    {site.flat[:300]}"


if __name__ == "__main__":
    sys.exit(main())
