from __future__ import annotations

import pytest

from tracelens.ruleset.versions import is_range, is_within


@pytest.mark.parametrize("text", [">=2.6", ">=2.6,<2.9", " == 2 ", "!=2.5.1", "<=12.4"])
def test_ranges(text):
    assert is_range(text)


@pytest.mark.parametrize("text", ["2.6", "~=2.6", ">=2.6,", "", ">=x", ">=2.6 <2.9"])
def test_no_ranges(text):
    assert not is_range(text)


@pytest.mark.parametrize(
    ("version", "bounds", "within"),
    [
        ("2.6.0", ">=2.6", True),
        ("2.6.0a0+git123", ">=2.6", True),
        ("2.5.1+cu124", ">=2.6", False),
        ("2.10.0", ">=2.9", True),
        ("2.5.1", "<=2.5", True),
        ("2.5.1", "==2.5", True),
        ("2.5.1", "!=2.5", False),
        ("2.9.0", ">=2.6,<2.9", False),
        ("2.8.1", ">=2.6,<2.9", True),
        ("2", ">=2.0", True),
        ("2", ">2.0", False),
        ("unknown", ">=2.6", True),
        ("2.5", "no range", True),
    ],
)
def test_a_version_is_compared_as_far_as_the_range_spells_it(version, bounds, within):
    assert is_within(version, bounds) is within
