"""What can be typed at each place of the command line, as the parser has it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from tracelens.record import Record
from tracelens.typed import Enum


class Wanted(Enum):
    """What kind of word belongs at a place."""

    NOTHING = "nothing"
    WORDS = "words"
    FILE = "file"
    FOLDER = "folder"
    PROGRAM = "program"


class Value(Record):
    """What an option or an argument takes; ``words`` are pairs of a word and what it means."""

    wanted: Wanted
    words: tuple[tuple[str, str], ...] = ()


class Option(Record):
    """An option; one without a value is a switch."""

    names: tuple[str, ...]
    help: str
    value: Value | None


class Place(Record):
    """A command, or an action of one: what can follow it."""

    path: tuple[str, ...]
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]
    #: The last argument may come any number of times.
    repeats: bool
    commands: tuple[tuple[str, str], ...]


#: What the names of arguments in the help stand for.
_PATHS = {
    "FILE": Wanted.FILE,
    "INPUT": Wanted.FILE,
    "LOG": Wanted.FILE,
    "PATH": Wanted.FILE,
    "DIR": Wanted.FOLDER,
}
#: Words that no parser knows, with what they mean, by what arguments for them are called in the help.
Known = Mapping[str, tuple[tuple[str, str], ...]]


def places(parser: argparse.ArgumentParser, known: Known) -> tuple[Place, ...]:
    """Return every place of a command line."""
    return tuple(_places(parser, (), known))


def _places(parser: argparse.ArgumentParser, path: tuple[str, ...], known: Known) -> Iterator[Place]:
    options: list[Option] = []
    arguments: list[Value] = []
    commands: dict[str, argparse.ArgumentParser] = {}
    summaries: dict[str, str] = {}
    repeats = False
    for action in parser._actions:  # noqa: SLF001  # argparse has no public list
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # the same
            commands = dict(action.choices)
            summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
        elif action.option_strings:
            value = None if action.nargs == 0 else _value(action, known)
            options.append(Option(names=tuple(action.option_strings), help=_first_line(action), value=value))
        else:
            arguments.append(_value(action, known))
            repeats = action.nargs in ("*", "+", argparse.REMAINDER)
    yield Place(
        path=path,
        options=tuple(options),
        arguments=tuple(arguments),
        repeats=repeats,
        commands=tuple((name, summaries.get(name, "")) for name in commands),
    )
    for name, command in commands.items():
        yield from _places(command, (*path, name), known)


def _value(action: argparse.Action, known: Known) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices:
        return Value(wanted=Wanted.WORDS, words=tuple((str(choice), "") for choice in action.choices))
    if action.nargs == argparse.REMAINDER:
        return Value(wanted=Wanted.PROGRAM)
    if name in known:
        return Value(wanted=Wanted.WORDS, words=known[name])
    return Value(wanted=_PATHS.get(name, Wanted.NOTHING))


def _first_line(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%").partition("\n")[0]
