"""Patterns that are kept from run to run are those that ``re`` makes."""

from __future__ import annotations

import os
import re
import stat
import sys
from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import CORPUS, run_command
from tracelens import expressions
from tracelens.expressions import compiled, expression, keep, recall

LOG = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
SOME = (
    (r"(?P<type>\w+)(?:Error|Exception): (?P<what>.*)", re.MULTILINE),
    (r"(?i)[\\/]python(3\.\d{1,2})[\\/]|ünï[é-ü]\U0001f600", 0),
    ("[\ud800-\udfff]", 0),
    (r"(?<=a)b(?!c)(d)?(?(1)e|f)\1*", re.DOTALL),
    ("", 0),
)

FLAGS = st.sampled_from([0, re.MULTILINE, re.IGNORECASE | re.ASCII, re.DOTALL])


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(expressions, "_new", None)
    monkeypatch.setattr(expressions, "_recalled", {})
    return tmp_path / "tracelens"


def another_run() -> None:
    expressions._new = None  # noqa: SLF001 - what a new process begins with
    expressions._recalled.clear()  # noqa: SLF001
    recall()


def compiled_again(monkeypatch, patterns) -> list[str]:
    """Return which of the patterns ``re.compile`` is asked for."""
    asked: list[str] = []

    def ask(pattern, flags=0):
        asked.append(pattern)
        return re._compile(pattern, flags)  # type: ignore[attr-defined] # noqa: SLF001

    with monkeypatch.context() as patch:
        patch.setattr(re, "compile", ask)
        for pattern, flags in patterns:
            expression(pattern, flags)
    return asked


def stored(cache: Path) -> Path:
    (file,) = cache.iterdir()
    return file


def test_what_one_run_compiles_the_next_recalls(cache, monkeypatch):
    recall()
    first = [expression(pattern, flags) for pattern, flags in SOME]
    keep()
    assert stat.S_IMODE(stored(cache).stat().st_mode) == 0o600 or sys.platform == "win32"
    another_run()
    assert compiled_again(monkeypatch, SOME) == []
    again = [expression(pattern, flags) for pattern, flags in SOME]
    assert again == first == [re.compile(pattern, flags) for pattern, flags in SOME]
    assert [made.groupindex for made in again] == [made.groupindex for made in first]
    assert again[0].sub(r"\g<what>", "KeyError: 'a'") == "'a'"
    match = again[0].search("x\nValueError: no")
    assert match is not None
    assert (match.lastgroup, match.groupdict()) == ("what", {"type": "Value", "what": "no"})


def test_text_and_bytes_and_flags_are_told_apart():
    recall()
    made = (expression("a."), expression(b"a."), expression("a.", re.DOTALL))
    keep()
    another_run()
    assert (expression("a."), expression(b"a."), expression("a.", re.DOTALL)) == made
    assert made[1].match(b"ab")
    assert made[2].match("a\n")
    assert not made[0].match("a\n")


@pytest.mark.filterwarnings("ignore::FutureWarning")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    pattern=st.text("ab(|)[]*+?{,2}\\w^$.-", max_size=12),
    flags=st.sampled_from([0, re.MULTILINE, re.IGNORECASE | re.ASCII, re.DOTALL]),
)
def test_any_pattern_comes_back_as_it_was(pattern, flags):
    try:
        expected = re.compile(pattern, flags)
    except (re.error, OverflowError):
        return
    another_run()
    expression(pattern, flags)
    keep()
    another_run()
    assert expression(pattern, flags) == expected
    assert expression(pattern, flags).groups == expected.groups


def test_later_runs_add_to_what_is_kept(monkeypatch):
    for pattern, flags in SOME:
        another_run()
        expression(pattern, flags)
        keep()
    another_run()
    assert compiled_again(monkeypatch, SOME) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(data=st.data())
def test_a_damaged_file_does_no_harm(cache, data):
    cache.mkdir(mode=0o700, exist_ok=True)
    for file in cache.iterdir():
        file.unlink()
    another_run()
    first = [expression(pattern, flags) for pattern, flags in SOME]
    keep()
    file = stored(cache)
    content = bytearray(file.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    another_run()
    assert [expression(pattern, flags) for pattern, flags in SOME] == first


@pytest.mark.parametrize("numbers", [[], [1], [5, 6, 7], [2**32 - 1] * 4])
@pytest.mark.parametrize("groups", [0, 3, 2**31])
def test_numbers_that_make_no_pattern_are_compiled(numbers, groups):
    pattern, flags = SOME[0]
    key = expressions._key(pattern, int(flags))  # noqa: SLF001
    words = memoryview(array("I", [*numbers, 0, len(key), groups, 8])).cast("B")
    for odd in (words, words[:-1], words[:4]):
        assert expressions._revive(odd, memoryview(key), key, pattern) != re.compile(pattern, flags)  # noqa: SLF001


@pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are POSIX")
def test_a_file_that_others_can_write_is_not_used(cache, monkeypatch):
    recall()
    expression(*SOME[0])
    keep()
    stored(cache).chmod(0o666)
    another_run()
    assert compiled_again(monkeypatch, SOME[:1]) == [SOME[0][0]]


def test_numbers_of_another_python_are_not_used(cache, monkeypatch):
    recall()
    expression(*SOME[0])
    keep()
    file = stored(cache)
    file.write_bytes(file.read_bytes().replace(sys.version.encode(), sys.version.replace("3.", "4.", 1).encode()))
    another_run()
    assert compiled_again(monkeypatch, SOME[:1]) == [SOME[0][0]]


def test_a_python_that_compiles_otherwise_keeps_nothing(monkeypatch):
    monkeypatch.setattr(expressions, "_code_of", lambda *_: array("I", [1]))
    recall()
    made = expression(*SOME[0])
    keep()
    another_run()
    assert expression(*SOME[0]) == made
    assert compiled_again(monkeypatch, SOME[:1]) == [SOME[0][0]]


def test_a_bad_pattern_raises_as_re_does():
    recall()
    with pytest.raises(re.error, match="missing"):
        expression("(")


def test_without_a_command_nothing_is_written(cache):
    assert expression("a|b").match("b")
    keep()
    assert not cache.exists()


def test_the_second_answer_is_the_first_and_compiles_nothing_of_ours(tmp_path):
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    count = (
        "import sys\n"
        "import tracelens.expressions as e\n"
        "from tracelens.cli.main import main\n"
        f"code = main(['analyze', '--format', 'json', {str(LOG)!r}])\n"
        "sys.exit(code or len(e._new or ()))"
    )
    runs = [run_command(sys.executable, "-c", count, env=env) for _ in range(2)]
    assert [run.code for run in runs] == [0, 0]
    assert runs[0].output == runs[1].output
    content = next((tmp_path / "tracelens").glob("expressions-*")).read_bytes()
    kept = expressions._entries(memoryview(content))  # noqa: SLF001
    assert len(kept) > 50


def test_a_pattern_that_is_kept_is_compiled_once_even_when_the_cache_of_re_is_emptied():
    first = compiled(r"a{1,2}b")
    re.purge()

    assert compiled(r"a{1,2}b") is first
    assert first.fullmatch("aab")


def test_a_bad_pattern_is_a_mistake_of_ours_and_raises():
    with pytest.raises(re.error):
        compiled("(")
