"""Plain command lines, read without argparse: its import and its parsers cost a small log a tenth of its time.

Arguments are described once, in the words of argparse. What is read here is options
written in full, their values and one run of inputs. Anything else, such as a mistake
or ``--help``, is left to argparse, which reads the line again from its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tracelens.typed import Any, NamedTuple

#: What an option without a value says, and what is so without it.
_FLAGS = {"store_true": (True, False), "store_false": (False, True)}
_UNSAID: Any = object()


class NotPlainError(Exception):
    """A command line for argparse."""


class _Option(NamedTuple):
    """One option: where its value goes, and which values it takes. Of a ``group``, one option may be given."""

    dest: str
    action: str
    type: Callable[[str], Any] | None
    choices: Sequence[str] | None
    group: _Group | None


class PlainArguments:
    """Takes descriptions as an ``ArgumentParser`` does: of options with one value or none, and of inputs."""

    def __init__(self) -> None:
        """Know no argument yet."""
        self._inputs: list[str] = []
        self._options: dict[str, _Option] = {}
        self._defaults: dict[str, Any] = {}

    def add_mutually_exclusive_group(self) -> _Group:
        """Return what takes options of which only one may be given."""
        return _Group(self)

    def add_argument(  # noqa: PLR0913 - as argparse has it
        self,
        *names: str,
        action: str = "store",
        default: Any = _UNSAID,  # noqa: ANN401 - whatever the values are
        dest: str = "",
        type: Callable[[str], Any] | None = None,  # noqa: A002 - as argparse has it
        choices: Sequence[str] | None = None,
        nargs: str = "",
        metavar: str = "",
        help: str = "",  # noqa: A002 - as argparse has it
        group: _Group | None = None,
    ) -> None:
        """Describe an argument."""
        del metavar, help
        if nargs == "*":
            self._inputs += names
            return
        dest = dest or max(names, key=len).lstrip("-").replace("-", "_")
        if default is _UNSAID:
            default = _FLAGS[action][1] if action in _FLAGS else None
        self._defaults.setdefault(dest, default)
        option = _Option(dest=dest, action=action, type=type, choices=choices, group=group)
        self._options.update(dict.fromkeys(names, option))

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the values of all arguments; raises ``NotPlainError`` where argparse has to look."""
        values = {**self._defaults, **{name: [] for name in self._inputs}}
        chosen: dict[_Group, _Option] = {}
        rest = list(reversed(words))
        while rest:
            name, equals, value = rest[-1].partition("=") if rest[-1].startswith("--") else (rest[-1], "", "")
            option = self._options.get(name)
            if option is None:
                self._take_inputs(values, rest)
                continue
            rest.pop()
            if option.group and chosen.setdefault(option.group, option) is not option:
                raise NotPlainError
            if equals and (option.action in _FLAGS or not value):
                raise NotPlainError
            if option.action in _FLAGS:
                values[option.dest] = _FLAGS[option.action][0]
                continue
            taken = _value_of(option, value if equals else _word(rest))
            values[option.dest] = [*values[option.dest], taken] if option.action == "append" else taken
        return values

    def _take_inputs(self, values: dict[str, Any], rest: list[str]) -> None:
        """Take the words up to the next option; a second run of inputs is one that argparse refuses."""
        inputs = [_word(rest)]
        while rest and _is_no_option(rest[-1]):
            inputs.append(rest.pop())
        for name in self._inputs:
            if not values[name]:
                values[name] = inputs
                return
        raise NotPlainError


class _Group:
    """Takes options of which only one may be given."""

    def __init__(self, parser: PlainArguments) -> None:
        self._parser = parser

    def add_argument(self, *names: str, **how: Any) -> None:  # noqa: ANN401 - as the parser has it
        """Describe one of the options."""
        self._parser.add_argument(*names, group=self, **how)


def _is_no_option(word: str) -> bool:
    return word == "-" or not word.startswith("-")


def _word(rest: list[str]) -> str:
    if not rest or not _is_no_option(rest[-1]):
        raise NotPlainError
    return rest.pop()


def _value_of(option: _Option, text: str) -> Any:  # noqa: ANN401 - whatever the values are
    try:
        value = option.type(text) if option.type else text
    except Exception as error:
        raise NotPlainError from error  # argparse says what is wrong
    if option.choices is not None and value not in option.choices:
        raise NotPlainError
    return value
