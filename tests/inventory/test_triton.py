"""The same for Triton, where it is installed; and for what is noted of it, everywhere."""

from __future__ import annotations

import pytest

from corpus.lab.inventory.decisions import load_map
from corpus.lab.inventory.judging import judge, unmapped
from corpus.lab.inventory.releases import Release, installed, read_release

CHAPTERS = load_map()


@pytest.fixture(scope="module")
def release() -> Release:
    found = installed("triton")
    if found is None:
        pytest.skip("triton is not installed: a torch without GPU libraries does not bring it")
    return found


def test_every_message_is_mapped_and_answered_as_mapped(release):
    sites = read_release(release)
    assert [site.key for site in unmapped(sites, CHAPTERS)] == []
    assert [str(verdict) for verdict in judge(release, sites, CHAPTERS) if not verdict.is_right] == []
