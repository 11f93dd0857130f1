"""Turn the arguments of a command line into inputs that can be opened.

Files, globs, directories, ``-`` and the members of tar archives all become
the same thing, in an order that does not depend on the machine. An argument
that leads to nothing is an error, never silently an empty answer.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from functools import partial

from tracelens.errors import InputError
from tracelens.findings import Diagnostic
from tracelens.record import Record, aside, replace
from tracelens.source.bombs import MAX_OUTPUT
from tracelens.source.bytesources import HEAD_SIZE, ByteSource, FileSource, Opener
from tracelens.source.feeds import Feed, reason_of
from tracelens.source.magic import is_tar_block, recognise
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from tracelens.source.archives import Archive, Member  # few inputs are one, and each start comes here

#: What a directory may hold before it must be narrowed down by a glob.
MAX_FILES = 10_000
MAX_DEPTH = 32
#: So much of a file tells whether it is a log, where its name does not.
_SNIFFED = 8192
STDIN = "-"
STDIN_NAME = "<stdin>"

_GLOB_CHARACTERS = frozenset("*?[")


class Input(Record):
    """One log that can be opened, as often as its kind allows.

    ``size`` is the number of bytes as they are stored, or ``None`` where only
    reading tells.
    """

    name: str
    size: int | None
    opener: Opener = aside()
    max_size: int = aside(default=MAX_OUTPUT)
    remarks: tuple[Diagnostic, ...] = aside(default=())

    def open(self) -> Feed:
        """Return the UTF-8 bytes of this log; close it after use."""
        return Feed(self.name, self.opener, max_size=self.max_size, remarks=self.remarks)


def expand_inputs(arguments: Sequence[str], *, max_size: int = MAX_OUTPUT) -> Iterator[Input]:
    """Yield the inputs that the arguments stand for, each file once, in order.

    ``max_size`` is how much one input may decompress to. Raises InputError for
    an argument that leads to nothing readable; where it leads to several files,
    only opening tells of one that is not.
    """
    seen: set[str] = set()
    remarks: list[Diagnostic] = []
    for argument in arguments:
        if argument == STDIN:
            yield Input(name=STDIN_NAME, size=None, opener=_open_stdin, max_size=max_size)
            continue
        for path in files_of(argument, remarks):
            identity = os.path.realpath(path)
            if identity in seen:
                continue
            seen.add(identity)
            try:
                for entry in _inputs_of(path, max_size):
                    yield replace(entry, remarks=(*entry.remarks, *remarks)) if remarks else entry
                    remarks.clear()
            except InputError as error:
                if path == argument:
                    raise
                # One of many: those after it are to be read all the same.
                yield Input(name=error.name, size=None, opener=partial(_refuse, error))


def files_of(argument: str, remarks: list[Diagnostic] | None = None) -> Iterator[str]:
    """Yield the files that one argument names. Raises InputError where it names none.

    What there is to say of a directory is added to ``remarks`` before its first file comes.
    """
    remarks = [] if remarks is None else remarks
    if not argument:  # an unset variable of a shell, surely not the whole directory
        raise InputError(repr(argument), "no such file or directory")
    try:
        mode = os.stat(argument).st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        if _GLOB_CHARACTERS.isdisjoint(argument):
            raise InputError(argument, "no such file or directory") from error
        yield from _globbed(argument, remarks)
        return
    except OSError as error:
        raise InputError(argument, reason_of(error)) from error
    except ValueError as error:  # a NUL in the name
        raise InputError(argument, str(error)) from error
    if stat.S_ISDIR(mode):
        yield from _walk(argument, remarks)
        return
    _refuse_devices(argument, mode)
    yield argument


def _globbed(pattern: str, remarks: list[Diagnostic]) -> Iterator[str]:
    from glob import glob

    paths = sorted(glob(pattern, recursive=True))
    if not paths:
        raise InputError(pattern, "no file matches this pattern")
    for path in paths:
        if os.path.isfile(path):
            yield path
        # `**` names each directory and what is in it; the files come by themselves.
        elif os.path.isdir(path) and "**" not in pattern:
            yield from _walk(path, remarks)


def _refuse_devices(path: str, mode: int) -> None:
    """Raise InputError for what never ends, or cannot be read as a file."""
    terminals = ("/dev/null", "/dev/pts/", "/dev/tty")
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not os.path.realpath(path).startswith(terminals)):
        raise InputError(path, "a device, not a log")
    if stat.S_ISSOCK(mode):
        raise InputError(path, "a socket, not a log")


def _walk(directory: str, remarks: list[Diagnostic]) -> Iterator[str]:
    """Yield the logs below a directory, sorted, without following links to directories."""
    # Orders by the parts of a path; a start with files alone does without these imports.
    from pathlib import Path

    from tracelens.source.log_names import DATA

    found: list[Path] = []
    unreadable: list[Path] = []  # folders: opening them tells why
    for folder, subfolders, names in os.walk(directory, onerror=lambda error: unreadable.append(Path(error.filename))):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        place = Path(folder)
        if len(place.parts) - len(Path(directory).parts) >= MAX_DEPTH:
            subfolders.clear()
        candidates = (place / name for name in names if not name.startswith("."))
        found += (path for path in candidates if path.suffix.lower() not in DATA and os.path.isfile(path))
        if len(found) > MAX_FILES:
            raise InputError(directory, f"holds more than {MAX_FILES:,} files; name fewer, or use a pattern")
    logs = [path for path in found if _looks_like_a_log(str(path), path.suffix.lower())]
    others = len(found) - len(logs)
    if not logs and not unreadable:
        raise InputError(directory, "no log in this directory")
    if others:
        which = "file was" if others == 1 else "files were"
        message = f"{others:,} {which} passed over in {directory} as no log; a file that is named is always read"
        remarks.append(Diagnostic(code="input-passed-over", message=message))
    yield from map(str, sorted(logs + unreadable))


def _looks_like_a_log(path: str, suffix: str) -> bool:
    from tracelens.source.log_names import is_log_head, needs_a_look

    if not needs_a_look(path, suffix):
        return True
    try:
        with open(path, "rb", buffering=0) as file:
            return is_log_head(file.read(_SNIFFED), suffix)
    except OSError:
        return True  # opening it tells why


def _refuse(error: InputError) -> ByteSource:
    raise error


def _inputs_of(path: str, max_size: int) -> Iterator[Input]:
    """Yield one input for a file, or one for each member of an archive."""
    try:
        status = os.stat(path)
        regular = stat.S_ISREG(status.st_mode)
        # A pipe must not be read before it is analysed: what was read is gone.
        archive = _archive_at(path, max_size) if regular else None
    except OSError as error:
        raise InputError(path, reason_of(error)) from error
    if archive is not None:
        yield from _members_of(archive, max_size)
        return
    size = status.st_size if regular else None
    yield Input(name=path, size=size, opener=partial(_open_file, path), max_size=max_size)


def _archive_at(path: str, max_size: int) -> Archive | None:
    """Return the tar archive that a file is, compressed or not."""
    with open(path, "rb", buffering=0) as file:
        head = file.read(HEAD_SIZE)
    if is_tar_block(head) or recognise(head) is not None:
        from tracelens.source.archives import Archive

        archive = Archive(path, max_size)
        if archive.is_tar():
            return archive
    return None


def _members_of(archive: Archive, max_size: int) -> Iterator[Input]:
    """Yield the files of an archive; what is wrong with it is told with the last one."""
    last: Member | None = None
    for item in archive.members():
        if isinstance(item, InputError):
            if last is None:
                raise item
            remark = Diagnostic(code="input-damaged", message=f"{item}; the files before that were analysed")
            yield _member_input(archive, last, max_size, (remark,))
            return
        if last is not None:
            yield _member_input(archive, last, max_size, ())
        last = item
    if last is None:
        raise InputError(archive.name, "no file in this archive")
    yield _member_input(archive, last, max_size, ())


def _member_input(archive: Archive, member: Member, max_size: int, remarks: tuple[Diagnostic, ...]) -> Input:
    return Input(
        name=f"{archive.name}:{member.name}",
        size=member.size,
        opener=partial(archive.open_member, member),
        max_size=max_size,
        remarks=remarks,
    )


def _open_file(path: str) -> ByteSource:
    return FileSource(open(path, "rb", buffering=0))  # the source closes it


def _open_stdin() -> ByteSource:
    stdin = sys.stdin
    if stdin is None:  # as under pythonw
        raise OSError(None, "there is no standard input")
    return FileSource(stdin.buffer, keep_open=True)
