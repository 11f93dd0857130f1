"""Where a report goes and how it has to look there.

Colour follows the terminal, NO_COLOR and FORCE_COLOR; characters follow the
encoding of the stream; a file is written whole or not at all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from tracelens.errors import InputError
from tracelens.typed import TYPE_CHECKING, suppress

if TYPE_CHECKING:
    # What only some outputs need is imported where it is needed: each start comes here.
    from pathlib import Path

    from tracelens.report.layout import Layout, StyledLine
    from tracelens.typed import TextIO, TypeGuard

_NARROWEST = 40
_WIDEST = 120
_PIPED_WIDTH = 80
_STDOUT_NAME = "standard output"
_STDOUT_PATH = "-"


def layout_for_output(path: str | None, stream: TextIO | None = None) -> Layout:
    """Return the layout for standard output or another stream, or for a file when ``path`` names one."""
    from tracelens.report.layout import ASCII, UNICODE, Layout

    if _names_file(path):
        return Layout(width=_PIPED_WIDTH)
    stream = sys.stdout if stream is None else stream
    width = _terminal_width(stream) if _is_terminal(stream) else _PIPED_WIDTH
    return Layout(
        width=min(_WIDEST, max(_NARROWEST, width)),
        symbols=UNICODE if _can_print(UNICODE.failed + UNICODE.arrow, stream) else ASCII,
    )


def write_lines(lines: Iterable[StyledLine], path: str | None, stream: TextIO | None = None) -> None:
    """Write a laid-out report, coloured only where colour is wanted."""
    forced = bool(os.environ.get("FORCE_COLOR"))
    target = sys.stdout if stream is None else stream
    if not _names_file(path) and (_is_terminal(target) or forced) and not os.environ.get("NO_COLOR"):
        from tracelens.report.as_terminal import write_terminal

        with _SayingWhatFailed():
            write_terminal(lines, target, force_color=forced)
        return
    from tracelens.report.as_plain import render_plain

    write_text(render_plain(lines), path, stream)


def write_text(text: str, path: str | None, stream: TextIO | None = None) -> None:
    """Write text to standard output or another stream, or to the file at ``path`` in one step.

    Raises ``InputError`` when it cannot be written.
    """
    if not _names_file(path):
        printed_on = sys.stdout if stream is None else stream
        encoding = printed_on.encoding or "utf-8"
        with _SayingWhatFailed():
            printed_on.write(text.encode(encoding, "backslashreplace").decode(encoding))
        return
    from pathlib import Path

    target = Path(path)
    try:
        _replace(target, text)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}") from error


def _names_file(path: str | None) -> TypeGuard[str]:
    return path is not None and path != _STDOUT_PATH


def write_errors(text: str) -> None:
    """Write text to standard error; where that is full, the exit code has to do."""
    with suppress(OSError):
        sys.stderr.write(text)


def open_missing_streams() -> None:
    """Let what is written to a closed stream go nowhere: the exit code is still an answer."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # open to the end


def flush_output() -> None:
    """Hand standard output what was written, so that a full disk is noticed now."""
    with _SayingWhatFailed():
        sys.stdout.flush()


def drop_output() -> None:
    """Let the rest of standard output go nowhere, else Python complains at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _SayingWhatFailed:
    """Lets nobody write any more to a standard output that failed, and says why it did; a reader who left is none."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            drop_output()
            raise InputError(_STDOUT_NAME, f"cannot be written: {error.strerror or error}") from error


def _replace(target: Path, text: str) -> None:
    if target.exists() and not target.is_file():
        # A device or a pipe, such as /dev/stdout, takes what is written to it.
        target.write_text(text, encoding="utf-8", errors="backslashreplace")
        return
    import tempfile
    from pathlib import Path

    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _terminal_width(stream: TextIO) -> int:
    if stream is not sys.stdout and "COLUMNS" not in os.environ:
        # The library asks for the size of standard output alone.
        with suppress(OSError):
            return os.get_terminal_size(stream.fileno()).columns
    from shutil import get_terminal_size

    return get_terminal_size((_PIPED_WIDTH, 24)).columns


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _can_print(characters: str, stream: TextIO) -> bool:
    try:
        characters.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
