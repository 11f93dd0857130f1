"""A fix as it is applied: variables, operations on private files, and settings of the run.

Commands are applied as a user would type them, by reading them; see ``shell_words``.
What needs root, installs something or is only for a person's eyes is not done.
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tracelens.errors import TracelensError
from tracelens.findings import Fix, FixKind
from tracelens.record import Record
from tracelens.verify.code_fixes import CODE_FIXES
from tracelens.verify.found_here import headers_of, newer_ptxas, ninja_here, on_path
from tracelens.verify.places import Places
from tracelens.verify.private import remove_tree
from tracelens.verify.shell_words import UnreadableCommandError, read_commands
from tracelens.verify.substitutions import substitutions

_INSTALLERS = re.compile(
    r"^(?:sudo|apt(?:-get)?|dnf|yum|apk|pacman|zypper|brew|conda|mamba|pip\d*|uv|docker|winget|xcode-select"
    r"|python\S* -m (?:pip|venv)|torchrun|reg|set|xcopy|FROM)\b"
)
_LOOKERS = frozenset(
    {"echo", "df", "fuser", "ls", "mount", "nvidia-smi", "ldd", "dmesg", "ss", "c++filt", "cat", "which", "true"}
)
_LOCATIONS = frozenset({"CC", "CXX", "TRITON_PTXAS_PATH", "CUDACXX"})

#: Changes private files.
FileOperation = Callable[[Places], None]


class NotApplicableError(TracelensError):
    """A fix that cannot be tried on this machine, and why."""


class Applied(Record):
    """What a fix changes in a run.

    ``changed`` names the variables that it set or took away. ``settings`` and
    ``remedy`` are for the child; ``is_fallback`` says that the fix only promises a
    run without compiled code.
    """

    environ: dict[str, str]
    changed: frozenset[str] = frozenset()
    operations: tuple[FileOperation, ...] = ()
    settings: dict[str, Any] | None = None
    remedy: str | None = None
    is_fallback: bool = False


class Workshop(Record):
    """What applying a fix needs to know of the machine."""

    environ: dict[str, str]
    python: str
    version: str
    folder: Path


def apply_fix(fix: Fix, workshop: Workshop) -> Applied:
    """Return what the fix changes; raises ``NotApplicableError`` with what to type instead."""
    special = _SPECIAL.get(fix.id)
    if special is not None:
        return special(workshop)
    if fix.id in CODE_FIXES and fix.kind in {FixKind.CODE, FixKind.CONFIG}:
        change = CODE_FIXES[fix.id]
        return Applied(
            environ=dict(workshop.environ),
            settings=change.settings,
            remedy=change.remedy,
            is_fallback=change.is_fallback,
        )
    if fix.kind is FixKind.CODE:
        message = "a change of your program; make it, then run --verify again with --script"
        raise NotApplicableError(message)
    return _apply_commands(fix, workshop)


def _apply_commands(fix: Fix, workshop: Workshop) -> Applied:
    environ = dict(workshop.environ)
    operations: list[FileOperation] = []
    changed: set[str] = set()
    for line in fix.commands:
        if _INSTALLERS.match(line.strip()):
            message = f"needs an install or root: {line.strip()}; then run --verify again"
            raise NotApplicableError(message)
        substitute = substitutions(environ, workshop.python, workshop.folder)
        try:
            for words in read_commands(line, environ, substitute):
                _do(words, environ, changed, operations)
        except UnreadableCommandError as error:
            message = f"not done for you ({error}): {line.strip()}; then run --verify again"
            raise NotApplicableError(message) from error
    if not changed and not operations:
        message = "only shows something, changes nothing"
        raise NotApplicableError(message)
    is_off = environ.get("TORCH_COMPILE_DISABLE") == "1" or environ.get("TORCHDYNAMO_SUPPRESS_ERRORS") == "1"
    return Applied(
        environ=environ,
        changed=frozenset(changed),
        operations=tuple(operations),
        is_fallback=is_off and bool({"TORCH_COMPILE_DISABLE", "TORCHDYNAMO_SUPPRESS_ERRORS"} & changed),
    )


def _do(words: list[str], environ: dict[str, str], changed: set[str], operations: list[FileOperation]) -> None:
    """Apply one simple command."""
    program, *arguments = words
    if program == "export":
        for argument in arguments:
            name, _, value = argument.partition("=")
            if not name.isidentifier() or not argument.isprintable():
                message = f"{argument!r} sets no variable"
                raise UnreadableCommandError(message)
            if name in _LOCATIONS and value and "/" not in value and on_path(value, environ) is None:
                message = f"{value} is not on this machine"
                raise NotApplicableError(message)
            environ[name] = value
            changed.add(name)
    elif program == "unset":
        _unset(arguments, environ, changed)
    elif program == "env" and arguments[:1] == ["-u"]:
        _unset([name for flag, name in itertools.pairwise(arguments) if flag == "-u"], environ, changed)
    elif program in _FILE_COMMANDS:
        operations.append(_FILE_COMMANDS[program](arguments))
    elif program not in _LOOKERS and "--version" not in arguments:
        message = f"{program} is not run for you"
        raise UnreadableCommandError(message)


def _unset(names: list[str], environ: dict[str, str], changed: set[str]) -> None:
    for name in names:
        environ.pop(name, None)
        changed.add(name)


def _paths(arguments: list[str]) -> list[Path]:
    return [Path(argument) for argument in arguments if not argument.startswith("-")]


def _remove(arguments: list[str]) -> FileOperation:
    def operation(places: Places) -> None:
        for path in _paths(arguments):
            # What is not there is not removed by the user either.
            if places.private(path) is not None or os.path.lexists(path):
                _remove_one(_ours(path, places))

    return operation


def _remove_one(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            remove_tree(path)
        else:
            path.unlink(missing_ok=True)


def _find_and_delete(arguments: list[str]) -> FileOperation:
    if "-delete" not in arguments or "-name" not in arguments[1:-1]:
        message = "find is not run for you"
        raise UnreadableCommandError(message)
    pattern = arguments[arguments.index("-name") + 1]

    def operation(places: Places) -> None:
        for top in places.private_below(Path(arguments[0])):
            for path in _files_below(top):
                if fnmatch.fnmatch(path.name, pattern):
                    _remove_one(path)

    return operation


def _files_below(top: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(top):
        yield from (Path(folder, name) for name in names)


def _make_folder(arguments: list[str]) -> FileOperation:
    def operation(places: Places) -> None:
        for path in _paths(arguments):
            with suppress(OSError):
                _ours(path, places).mkdir(parents=True, exist_ok=True)

    return operation


def _copy(arguments: list[str]) -> FileOperation:
    paths = _paths(arguments)
    if len(paths) != 2:
        message = "cp of anything but one place to another"
        raise UnreadableCommandError(message)
    source, target = paths

    def operation(places: Places) -> None:
        with suppress(OSError, shutil.Error):
            shutil.copytree(source, _ours(target, places), symlinks=True, dirs_exist_ok=True)

    return operation


def _change_mode(arguments: list[str]) -> FileOperation:
    paths = _paths(arguments)[1:]

    def operation(places: Places) -> None:
        for path in paths:
            with suppress(OSError):
                _ours(path, places).chmod(0o777)

    return operation


def _ours(path: Path, places: Places) -> Path:
    """Return our own file for a path of the user; nothing else is ever touched."""
    ours = places.private(path)
    if ours is None:
        message = f"{path} is not in a cache of this machine"
        raise NotApplicableError(message)
    return ours


_FILE_COMMANDS: dict[str, Callable[[list[str]], FileOperation]] = {
    "rm": _remove,
    "find": _find_and_delete,
    "mkdir": _make_folder,
    "cp": _copy,
    "chmod": _change_mode,
}


def _headers(workshop: Workshop) -> Applied:
    folder = headers_of(workshop.version, workshop.environ)
    if folder is None:
        message = f"no other Python.h of Python {workshop.version} on this machine"
        raise NotApplicableError(message)
    names = ("CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH")
    return Applied(environ={**workshop.environ, **dict.fromkeys(names, folder)}, changed=frozenset(names))


def _ptxas(workshop: Workshop) -> Applied:
    path = newer_ptxas()
    if path is None:
        message = "no CUDA toolkit with a ptxas on this machine"
        raise NotApplicableError(message)
    name = "TRITON_PTXAS_PATH"
    return Applied(environ={**workshop.environ, name: path}, changed=frozenset({name}))


def _ninja(workshop: Workshop) -> Applied:
    """Put ninja, and nothing beside it, on the PATH, as its installation would."""
    path = ninja_here(workshop.python)
    if path is None:
        message = "needs an install: python -m pip install ninja; then run --verify again"
        raise NotApplicableError(message)
    folder = workshop.folder / "ninja"
    folder.mkdir(exist_ok=True)
    with suppress(FileExistsError):
        (folder / "ninja").symlink_to(path)
    searched = workshop.environ.get("PATH") or os.defpath
    return Applied(environ={**workshop.environ, "PATH": f"{folder}:{searched}"}, changed=frozenset({"PATH"}))


_SPECIAL: dict[str, Callable[[Workshop], Applied]] = {
    "python-headers-path": _headers,
    "newer-ptxas": _ptxas,
    "install-ninja": _ninja,
}
