"""Our JSON is that of ``json``."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens import plain_json

TEXTS = st.text() | st.text(st.characters(categories=["Cs", "Cc"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(TEXTS, inner),
)


@given(VALUES)
def test_values_are_written_as_by_json(value):
    assert plain_json.indented(value) == json.dumps(value, indent=2)


@given(VALUES, st.sampled_from([(",", ":"), (", ", ": ")]))
def test_values_are_read_as_by_json(value, separators):
    text = json.dumps(value, separators=separators)
    assert plain_json.loads(text) == json.loads(text)


@pytest.mark.parametrize("text", ["-Infinity", "[1e999]", " [1]\n", '{"a":1,"a":2}', "12345678901234567890123"])
def test_odd_values_are_read_as_by_json(text):
    assert plain_json.loads(text) == json.loads(text)


def test_what_is_no_json_cannot_be_written():
    with pytest.raises(TypeError, match="set"):
        plain_json.indented([{1}])


@pytest.mark.parametrize(
    "text", ["", "[", "[1", "[1 2]", "{1:2}", '{"a"', '"', '"\n"', '"\\x"', "nul", "1 2", "[1],", "'a'", "\ufeff1"]
)
def test_what_is_no_json_is_refused_in_the_words_of_json(text):
    # In a process that has not imported json: the errors of the C code are defined there.
    code = "import sys; from tracelens.plain_json import loads; assert 'json' not in sys.modules; loads(sys.argv[1])"
    run = subprocess.run([sys.executable, "-c", code, text], check=False, capture_output=True, text=True)
    with pytest.raises(json.JSONDecodeError) as refused:
        json.loads(text)
    assert run.stderr.splitlines()[-1] == f"json.decoder.JSONDecodeError: {refused.value}"


def test_depth_that_no_json_of_ours_has_is_an_error():
    with pytest.raises(RecursionError):
        plain_json.loads("[" * 200_000)


def test_without_the_c_code_the_package_does_the_work():
    code = (
        "import sys; sys.modules['_json'] = None; from tracelens.plain_json import indented, loads\n"
        'print(indented(loads(\'["\\\\u00e9", {"a": null}]\')))'
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.rstrip("\n") == json.dumps(["\u00e9", {"a": None}], indent=2)
