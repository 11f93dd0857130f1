from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.findings import FixKind
from tracelens.ruleset.templates import fill_command, fill_text, hole_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{a} and {b|x y} and {a}", ("a", "b")),
        ("{{a}} ${HOME} ${a} {A} {1} { a } {print $1}", ()),
        ("{a|}", ("a",)),
    ],
)
def test_hole_names(text, names):
    assert hole_names(text) == names


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("No {compiler}", "No g++"),
        ("No {compiler|a compiler}", "No g++"),
        ("No {header|a header}", "No a header"),
        ("No {the_header}", "No the header"),
        ("No {header|}", "No "),
        ("{{compiler}} ${compiler}", "{compiler} ${compiler}"),
    ],
)
def test_a_text_keeps_its_fallback_where_nothing_fills_it(text, filled):
    assert fill_text(text, {"compiler": "g++"}) == filled


@pytest.mark.parametrize("said", ["not found", "not found.", "not found:", "not found..."])
def test_a_sentence_ends_once(said):
    assert fill_text("It says {said}.", {"said": said}) == "It says not found."
    assert fill_text("{said} (so it says).", {"said": said}) == f"{said} (so it says)."


def test_what_fills_a_text_is_one_short_line_without_control_characters():
    assert fill_text("{a}", {"a": "x\x1b[31m\ny\u202e"}) == "x [31m y"
    assert fill_text("{a}", {"a": "x" * 500}) == "x" * 199 + "…"
    assert fill_text("{a|none}", {"a": " \n "}) == "none"


@pytest.mark.parametrize("kind", [FixKind.SHELL, FixKind.ENV])
def test_a_command_takes_paths_and_names(kind):
    assert fill_command("rm {path}", {"path": "/var/a-b_c.d/e+f@1,2"}, kind) == "rm /var/a-b_c.d/e+f@1,2"
    assert fill_command("del {path}", {"path": r"C:\Users\x\a.so"}, kind) == r"del C:\Users\x\a.so"
    assert fill_command("rm {path|FILE}", {}, kind) == "rm FILE"
    assert fill_command("rm {path}", {}, kind) == "rm <path>"
    assert fill_command("echo {{path}} ${path}", {"path": "x"}, kind) == "echo {path} ${path}"


@pytest.mark.parametrize("value", ["a; rm -rf ~", "$(id)", "`id`", "a b", "a\nb", "a'b", "a|b", "a>b", "&", "*", "é ü"])
def test_a_value_that_could_act_is_left_to_the_reader(value):
    assert fill_command("rm {path|FILE}", {"path": value}, FixKind.SHELL) == "rm <path>"


@pytest.mark.parametrize("value", ["__import__('os').system('id')", "x; y", "a\nb", "f(x)"])
def test_code_takes_no_calls(value):
    assert fill_command("mark({source})", {"source": value}, FixKind.CODE) == "mark(<source>)"


def test_code_takes_the_source_of_a_guard():
    command = fill_command("mark({source}, {dimension})", {"source": "L['x'].y[0]", "dimension": "1"}, FixKind.CODE)
    assert command == "mark(L['x'].y[0], 1)"


@given(st.text(max_size=30))
def test_any_value_in_a_shell_command_stays_one_word(value):
    command = fill_command("cat {path}", {"path": value}, FixKind.SHELL)
    if command != "cat <path>":
        assert shlex.split(command.replace("\\", "/")) == ["cat", value.strip().replace("\\", "/")]
