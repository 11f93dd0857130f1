"""The few shell lines that fixes are written in, read without any shell.

A line becomes simple commands, each a list of words, with variables filled in
from a given environment. Nothing is run: a substitution is looked up in a table
of ours, and whatever else a shell could do is refused by name. Fixes carry text
from logs, so this is the only way from a command to an effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tracelens.errors import TracelensError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Handed the text inside ``$(…)``; returns what it would print.
Substitution = Callable[[str], str]
_SEPARATORS = ("&&", ";", "\n")
_FORBIDDEN = "|&<>`!*?[]{}"


class UnreadableCommandError(TracelensError):
    """A line asks for something that is not done on a user's behalf."""


def read_commands(line: str, environ: Mapping[str, str], substitute: Substitution) -> Iterator[list[str]]:
    """Yield the simple commands of a line, in order.

    Variables have the values that ``environ`` holds when a command is read, so that
    a caller who puts into it what one command sets lets the next one see it.
    """
    return _Reader(line, environ, substitute).commands()


class _Reader:
    """A cursor over one line."""

    def __init__(self, line: str, environ: Mapping[str, str], substitute: Substitution) -> None:
        self._line = line
        self._at = 0
        self._environ = environ
        self._substitute = substitute
        self._words: list[str] = []
        self._word: str | None = None

    def commands(self) -> Iterator[list[str]]:
        """Read to the end of the line."""
        while self._at < len(self._line):
            separator = next((each for each in _SEPARATORS if self._line.startswith(each, self._at)), None)
            if separator:
                self._at += len(separator)
                yield from self._take_command()
            elif self._line[self._at] == "#" and self._word is None:
                end = self._line.find("\n", self._at)
                self._at = len(self._line) if end < 0 else end
            else:
                self._character()
        yield from self._take_command()

    def _take_command(self) -> Iterator[list[str]]:
        self._end_word()
        words, self._words = self._words, []
        if words:
            yield words

    def _end_word(self) -> None:
        if self._word is not None:
            self._words.append(self._word)
        self._word = None

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _character(self) -> None:
        """Take one character, or what it opens, into the word."""
        character = self._line[self._at]
        if character in " \t":
            self._at += 1
            self._end_word()
        elif character == "'":
            end = self._closing("'", self._at + 1)
            self._add(self._line[self._at + 1 : end])
            self._at = end + 1
        elif character == '"':
            self._at += 1
            self._quoted()
        elif character == "\\":
            self._add(self._line[self._at + 1 : self._at + 2])
            self._at += 2
        elif character == "$":
            self._add(self._dollar())
        elif character == "~" and self._word is None and self._line[self._at + 1 : self._at + 2] in {"", "/", " "}:
            self._add(self._environ.get("HOME", "~"))
            self._at += 1
        elif character in _FORBIDDEN:
            message = f"{character!r} is for a shell"
            raise UnreadableCommandError(message)
        else:
            self._add(character)
            self._at += 1

    def _quoted(self) -> None:
        self._add("")
        while self._at < len(self._line) and self._line[self._at] != '"':
            character = self._line[self._at]
            if character == "$":
                self._add(self._dollar())
            elif character == "`":
                message = "a substitution in back quotes"
                raise UnreadableCommandError(message)
            else:
                escaped = character == "\\" and self._line[self._at + 1 : self._at + 2] in {'"', "\\", "$"}
                self._at += escaped
                self._add(self._line[self._at])
                self._at += 1
        if self._at >= len(self._line):
            message = "a quote that is not closed"
            raise UnreadableCommandError(message)
        self._at += 1

    def _dollar(self) -> str:
        rest = self._line[self._at + 1 :]
        if rest.startswith("("):
            end = _matching(self._line, self._at + 2)
            inner = self._line[self._at + 2 : end]
            self._at = end + 1
            return self._substitute(inner.strip())
        if rest.startswith("{"):
            end = self._closing("}", self._at + 2)
            inner = self._line[self._at + 2 : end]
            self._at = end + 1
            return self._parameter(inner)
        name = _NAME.match(rest)
        if name is None:
            message = f"${rest[:1]} is for a shell"
            raise UnreadableCommandError(message)
        self._at += 1 + name.end()
        return self._environ.get(name[0], "")

    def _parameter(self, inner: str) -> str:
        name, operator, default = inner.partition(":-")
        if not _NAME.fullmatch(name):
            message = f"${{{inner}}} is for a shell"
            raise UnreadableCommandError(message)
        value = self._environ.get(name, "")
        if value or not operator:
            return value
        filled = next(read_commands(f'"{default}"', self._environ, self._substitute), [""])
        return filled[0]

    def _closing(self, character: str, start: int) -> int:
        end = self._line.find(character, start)
        if end < 0:
            message = f"a {character} that is missing"
            raise UnreadableCommandError(message)
        return end


def _matching(line: str, start: int) -> int:
    """Return where the bracket closes that was opened before ``start``; quotes hide brackets."""
    depth, quote = 1, ""
    for at in range(start, len(line)):
        character = line[at]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
            if depth == 0:
                return at
    message = "a bracket that is not closed"
    raise UnreadableCommandError(message)
