from __future__ import annotations

import re

import pytest

from tracelens.parsing.lazy_patterns import compiled


def test_a_pattern_is_compiled_once_even_when_the_cache_of_re_is_emptied():
    first = compiled(r"a{1,2}b")
    re.purge()

    assert compiled(r"a{1,2}b") is first
    assert first.fullmatch("aab")


def test_a_bad_pattern_is_a_mistake_of_ours_and_raises():
    with pytest.raises(re.error):
        compiled("(")
