"""What ``$(…)`` in the commands of fixes stands for, worked out here instead of by a shell."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tracelens.verify.found_here import compiler_in_usual_folders, libcuda_folder, on_path
from tracelens.verify.shell_words import Substitution, UnreadableCommandError

_FIND_COMPILER = re.compile(r"find /usr/bin /usr/local/bin /opt ! -type d \\\( -name (?P<name>g\+\+|gcc) .*head -n 1")
_COMMAND_V = re.compile(r"command -v [\w+.-]+(?: \|\| command -v [\w+.-]+)*")
_LIBCUDA = re.compile(r"dirname \"\$\(find / -name 'libcuda\.so\.1' .*\)\"")
_SCRIPTS = re.compile(r"python -c ['\"]import sysconfig; print\(sysconfig\.get_path\(['\"\\]*scripts['\"\\]*\)\)['\"]?")
_DROP_FROM_PATHS = re.compile(
    r"(?:echo|printf %s) \"\$(?P<name>\w+)\" \| tr ['\"]:['\"] ['\"]\\+n['\"] \| grep -v (?P<part>[\w/]+) \| paste -sd:"
)


def substitutions(environ: Mapping[str, str], python: str, folder: Path) -> Substitution:
    """Return the table for one environment; ``folder`` is where a temporary folder may be made."""

    def substitute(inner: str) -> str:  # noqa: PLR0911 - one answer for each thing that fixes ask
        if found := _FIND_COMPILER.match(inner):
            return compiler_in_usual_folders(found["name"]) or ""
        if _COMMAND_V.fullmatch(inner):
            names = re.findall(r"command -v (\S+)", inner)
            return next((path for name in names if (path := on_path(name, environ))), "")
        if _LIBCUDA.fullmatch(inner):
            return libcuda_folder() or ""
        if _SCRIPTS.match(inner):
            return str(Path(python).parent)
        if dropped := _DROP_FROM_PATHS.fullmatch(inner):
            parts = environ.get(dropped["name"], "").split(":")
            return ":".join(part for part in parts if part and dropped["part"] not in part)
        if inner in {"id -u", "id -g"}:
            return str(os.getuid() if inner.endswith("u") else os.getgid())
        if inner == "mktemp -d":
            return tempfile.mkdtemp(dir=folder)
        message = f"$({inner[:60]}) is not worked out here"
        raise UnreadableCommandError(message)

    return substitute
