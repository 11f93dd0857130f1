"""Lines of a shell are read and never run."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.verify.shell_words import UnreadableCommandError, read_commands


def read(line, **environ):
    return list(read_commands(line, environ, lambda inner: f"<{inner}>"))


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("export A=1 B='two words'", [["export", "A=1", "B=two words"]]),
        ("unset A; export B=2 && mkdir -p x", [["unset", "A"], ["export", "B=2"], ["mkdir", "-p", "x"]]),
        ('export P="$HOME/bin:${P}"', [["export", "P=/home/u/bin:/bin"]]),
        ('rm -rf "${CACHE:-/var/inductor_$USER}"', [["rm", "-rf", "/var/inductor_u"]]),
        ("rm -rf ~/.triton/cache", [["rm", "-rf", "/home/u/.triton/cache"]]),
        (
            "export CXX=$(command -v g++ || command -v clang++)",
            [["export", "CXX=<command -v g++ || command -v clang++>"]],
        ),
        ("""export D="$(python -c 'print("x)")')" """, [["export", "D=<python -c 'print(\"x)\")'>"]]),
        ("export A='$HOME' # a remark", [["export", "A=$HOME"]]),
        ("export EMPTY=''", [["export", "EMPTY="]]),
        (r"export A=a\ b", [["export", "A=a b"]]),
        ("", []),
    ],
)
def test_line_becomes_words(line, commands):
    assert read(line, HOME="/home/u", P="/bin", USER="u") == commands


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf /tmp/x | tee y",
        "cat < /etc/passwd",
        "echo x > /tmp/y",
        "`id`",
        'echo "`id`"',
        "rm /tmp/*",
        "a & b",
        "echo $(",
        "echo 'x",
        "echo ${x//a/b}",
        "echo $$",
    ],
)
def test_what_only_a_shell_can_do_is_refused(line):
    with pytest.raises(UnreadableCommandError):
        read(line)


def test_later_command_sees_what_the_caller_took_from_an_earlier_one():
    environ = {"HOME": "/old"}
    commands = read_commands('export HOME=/new && mkdir -p "$HOME"', environ, str)
    name, _, value = next(commands)[1].partition("=")
    environ[name] = value
    assert next(commands) == ["mkdir", "-p", "/new"]


@given(st.text(alphabet="$(){}'\"\\ ;&|abc=~#\n`", max_size=40))
def test_any_text_is_read_or_refused(line):
    with suppress(UnreadableCommandError):
        assert all(isinstance(word, str) for words in read(line) for word in words)
