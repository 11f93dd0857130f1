"""What the installed torch and Triton can say is known: each message is mapped, and answered as mapped."""

from __future__ import annotations

from functools import cache

import pytest

from corpus.lab.inventory.decisions import decide, load_map
from corpus.lab.inventory.figures import is_of_a_cause
from corpus.lab.inventory.judging import judge, unmapped
from corpus.lab.inventory.ledger import load_ledger
from corpus.lab.inventory.releases import installed, read_release
from corpus.lab.inventory.sites import Site

#: Of the messages that name no root cause, one in so many is put before ``analyze``; `make inventory` takes all.
_ONE_IN = 6

PACKAGES = [
    pytest.param(name, marks=pytest.mark.skipif(installed(name) is None, reason=f"{name} is not installed"))
    for name in ("torch", "triton")
]


@cache
def sites_of(package: str) -> tuple[Site, ...]:
    release = installed(package)
    assert release is not None
    return read_release(release)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_message_is_mapped(package):
    assert [site.key for site in unmapped(sites_of(package), load_map())] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_message_in_a_plausible_log_is_answered_as_the_map_says(package):
    release, chapters = installed(package), load_map()
    assert release is not None
    decided = [(site, decide(site, chapters)) for site in sites_of(package)]
    telling = [site for site, decision in decided if decision and is_of_a_cause(decision.labels[0])]
    others = [site for site, decision in decided if decision and not is_of_a_cause(decision.labels[0])]
    assert telling
    verdicts = judge(release, (*telling, *others[::_ONE_IN]), chapters)
    assert [str(verdict) for verdict in verdicts if not verdict.is_right] == []


@pytest.mark.parametrize("package", ["torch", "triton"])
def test_ledger_says_of_each_site_what_the_map_says_today(package):
    ledger = load_ledger(package)
    assert ledger.read
    assert "?" not in ledger.labels.values()
    release = installed(package)
    if release is not None and release.version in ledger.read:
        chapters = load_map()
        said = {site.key: decide(site, chapters) for site in sites_of(package)}
        assert said.keys() == ledger.keys_of(release.version)
        differing = {
            key: ledger.labels[key]
            for key, decision in said.items()
            if decision and ledger.labels[key] != " or ".join(decision.labels)
        }
        assert differing == {}
