"""What stands in for the standard library behaves as it does."""

from __future__ import annotations

import contextlib
import functools

import pytest

from tracelens import typed


@pytest.mark.parametrize("suppress", [typed.suppress, contextlib.suppress])
def test_a_block_ends_at_an_error_that_is_named_and_lets_others_through(suppress):
    done = []
    with suppress(OSError, ValueError):
        done.append("begun")
        raise FileNotFoundError
    with suppress(OSError):
        done.append("ended")
    for errors in ((), (OSError,)):
        with pytest.raises(KeyError), suppress(*errors):
            raise KeyError
    assert done == ["begun", "ended"]


@pytest.mark.parametrize("cache", [typed.cache, functools.cache])
def test_a_function_is_called_once_for_each_set_of_arguments(cache):
    called = []

    @cache
    def twice(text, *, times=2):
        called.append(text)
        if not text:
            raise ValueError(text)
        return text * times

    assert [twice("a"), twice("a"), twice("a", times=3), twice("b")] == ["aa", "aa", "aaa", "bb"]
    assert called == ["a", "a", "b"]
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^$"):
            twice("")
    assert tuple(twice.cache_info()) == (1, 5, None, 3)
    twice.cache_clear()
    assert twice("a") == "aa"
    assert called == ["a", "a", "b", "", "", "a"]
