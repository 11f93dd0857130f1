"""The C++ runtime that the loader finds first, against what torch was built with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tracelens.environment.observations import failed, not_run, passed
from tracelens.environment.programs import run_program
from tracelens.environment.torch_facts import Python
from tracelens.findings import Check
from tracelens.topics import Topic

_NAME = "libstdc++"
_SECONDS = 10.0
_VERSION = re.compile(rb"\0((?:GLIBCXX|CXXABI)_\d+(?:\.\d+)+)(?=\0)")
#: Loads the library as any library of torch would, and says which file that was.
_QUESTION = """
import ctypes
ctypes.CDLL("libstdc++.so.6")
print(next(line.split()[-1] for line in open("/proc/self/maps") if "libstdc++" in line))
"""
_ASKING = ("libc10.so", "libtorch_python.so", "libtorch_global_deps.so")


def look_at_libstdcxx(python: Python) -> Sequence[Check]:
    """Compare the versions that are there with those that torch's libraries need."""
    ran = run_program([python.path, "-c", _QUESTION], python.environ, _SECONDS)
    if not ran.is_good:
        return (not_run(_NAME, ran.problem or (ran.output.strip().splitlines() or ["not found"])[-1]),)
    library = ran.first_line
    here = _versions(Path(library))
    for name in _ASKING if python.torch else ():
        asking = Path(python.torch.home, "lib", name) if python.torch else Path(name)
        lacking = sorted(_versions(asking) - here, key=_order)
        if lacking:
            version = lacking[-1].decode("ascii")
            detail = f"{library} lacks {version}, which {asking} needs"
            topic = Topic.OLD_LIBSTDCXX
            return (failed(_NAME, detail, topic, library=library, version=version, needed_by=str(asking)),)
    newest = max(here, key=_order, default=b"").decode("ascii")
    return (passed(_NAME, f"{library}: up to {newest}"),)


def _versions(library: Path) -> set[bytes]:
    try:
        return set(_VERSION.findall(library.read_bytes()))
    except OSError:
        return set()


def _order(version: bytes) -> tuple[bytes, list[int]]:
    name, _, numbers = version.partition(b"_")
    return name, [int(number) for number in numbers.split(b".")]
