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
from pathlib import Path

from tracelens.errors import InputError
from tracelens.findings import Diagnostic
from tracelens.record import Record, aside
from tracelens.source.archives import Archive, Member, is_tar_block
from tracelens.source.bombs import MAX_OUTPUT
from tracelens.source.bytesources import HEAD_SIZE, ByteSource, FileSource, Opener
from tracelens.source.compression import recognise
from tracelens.source.feeds import Feed, reason_of

#: What a directory may hold before it must be narrowed down by a glob.
MAX_FILES = 10_000
MAX_DEPTH = 32
STDIN = "-"
STDIN_NAME = "<stdin>"

_GLOB_CHARACTERS = frozenset("*?[")
# fmt: off
#: Files of a run directory that hold no log.
_NO_LOGS = frozenset({
    ".so", ".pyd", ".dll", ".dylib", ".a", ".o", ".obj", ".lib", ".exe", ".bin", ".pyc", ".pyo", ".whl", ".egg",
    ".jar", ".class", ".cubin", ".hsaco", ".ptx", ".fatbin", ".gch", ".pch", ".pt", ".pth", ".ckpt", ".safetensors",
    ".onnx", ".gguf", ".npy", ".npz", ".h5", ".hdf5", ".pb", ".pkl", ".pickle", ".parquet", ".arrow", ".db",
    ".sqlite", ".sqlite3", ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".ico", ".svg", ".pdf", ".mp3", ".mp4",
    ".avi", ".mov", ".wav", ".ttf", ".woff", ".woff2", ".zip", ".7z", ".rar", ".lz4", ".tfevents", ".nsys-rep",
    ".qdrep", ".ncu-rep", ".core", ".lock",
})
# fmt: on


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
    seen: set[Path] = set()
    for argument in arguments:
        if argument == STDIN:
            yield Input(name=STDIN_NAME, size=None, opener=_open_stdin, max_size=max_size)
            continue
        for path in _paths_of(argument):
            identity = path.resolve()
            if identity in seen:
                continue
            seen.add(identity)
            try:
                yield from _inputs_of(path, max_size)
            except InputError as error:
                if str(path) == argument:
                    raise
                # One of many: those after it are to be read all the same.
                yield Input(name=error.name, size=None, opener=partial(_refuse, error))


def _paths_of(argument: str) -> Iterator[Path]:
    """Yield the files that one argument names."""
    if not argument:  # an unset variable of a shell, surely not the whole directory
        raise InputError(repr(argument), "no such file or directory")
    path = Path(argument)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        if _GLOB_CHARACTERS.isdisjoint(argument):
            raise InputError(argument, "no such file or directory") from error
        yield from _globbed(argument)
        return
    except OSError as error:
        raise InputError(argument, reason_of(error)) from error
    except ValueError as error:  # a NUL in the name
        raise InputError(argument, str(error)) from error
    if stat.S_ISDIR(mode):
        yield from _walk(path)
        return
    _refuse_devices(path, mode)
    yield path


def _globbed(pattern: str) -> Iterator[Path]:
    from glob import glob

    # pathlib's own globbing takes no absolute patterns before Python 3.13.
    paths = [Path(name) for name in sorted(glob(pattern, recursive=True))]  # noqa: PTH207
    if not paths:
        raise InputError(pattern, "no file matches this pattern")
    for path in paths:
        if _is_file(path):
            yield path
        # `**` names each directory and what is in it; the files come by themselves.
        elif path.is_dir() and "**" not in pattern:
            yield from _walk(path)


def _refuse_devices(path: Path, mode: int) -> None:
    """Raise InputError for what never ends, or cannot be read as a file."""
    terminals = ("/dev/null", "/dev/pts/", "/dev/tty")
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not str(path.resolve()).startswith(terminals)):
        raise InputError(str(path), "a device, not a log")
    if stat.S_ISSOCK(mode):
        raise InputError(str(path), "a socket, not a log")


def _walk(directory: Path) -> Iterator[Path]:
    """Yield the logs below a directory, sorted, without following links to directories."""
    found: list[Path] = []
    unreadable: list[Path] = []  # folders: opening them tells why
    for folder, subfolders, names in os.walk(directory, onerror=lambda error: unreadable.append(Path(error.filename))):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        place = Path(folder)
        if len(place.parts) - len(directory.parts) >= MAX_DEPTH:
            subfolders.clear()
        candidates = (place / name for name in names if not name.startswith("."))
        found += (path for path in candidates if path.suffix.lower() not in _NO_LOGS and _is_file(path))
        if len(found) > MAX_FILES:
            raise InputError(str(directory), f"holds more than {MAX_FILES:,} files; name fewer, or use a pattern")
    if not found and not unreadable:
        raise InputError(str(directory), "no log in this directory")
    yield from sorted(found + unreadable)


def _is_file(path: Path) -> bool:
    """Tell whether a path leads to a file; one that may not be followed does not."""
    return os.path.isfile(path)  # noqa: PTH113  # that of pathlib raises what it does not expect


def _refuse(error: InputError) -> ByteSource:
    raise error


def _inputs_of(path: Path, max_size: int) -> Iterator[Input]:
    """Yield one input for a file, or one for each member of an archive."""
    try:
        status = path.stat()
        regular = stat.S_ISREG(status.st_mode)
        # A pipe must not be read before it is analysed: what was read is gone.
        archive = _archive_at(path, max_size) if regular else None
    except OSError as error:
        raise InputError(str(path), reason_of(error)) from error
    if archive is not None:
        yield from _members_of(archive, max_size)
        return
    size = status.st_size if regular else None
    yield Input(name=str(path), size=size, opener=partial(_open_file, path), max_size=max_size)


def _archive_at(path: Path, max_size: int) -> Archive | None:
    """Return the tar archive that a file is, compressed or not."""
    with path.open("rb", buffering=0) as file:
        head = file.read(HEAD_SIZE)
    if is_tar_block(head) or recognise(head) is not None:
        archive = Archive(str(path), path, max_size)
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


def _open_file(path: Path) -> ByteSource:
    return FileSource(path.open("rb", buffering=0))


def _open_stdin() -> ByteSource:
    stdin = sys.stdin
    if stdin is None:  # as under pythonw
        raise OSError(None, "there is no standard input")
    return FileSource(stdin.buffer, keep_open=True)
