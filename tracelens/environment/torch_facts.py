"""What a Python says of itself and of its torch, without importing torch.

torch takes seconds to import and may be the very thing that is broken. Its
version, what it was built for and what it asks of a compiler stand in files.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tracelens.environment.programs import run_program
from tracelens.record import Record

_SECONDS = 20.0
#: Run by the Python that is looked at, which may be older than ours and lack every package.
_QUESTION = r"""
import importlib.util, json, os, re, sys, sysconfig
def text(*parts):
    try:
        with open(os.path.join(*parts), encoding="utf-8", errors="replace") as file: return file.read()
    except OSError: return ""
def first(pattern, string):
    match = re.search(pattern, string)
    return match.group(1) if match else None
def version(name):
    try:
        from importlib.metadata import version
        return version(name)
    except Exception: return None
def found(name):
    try: spec = importlib.util.find_spec(name)
    except Exception: spec = None
    return spec is not None
TRITONS = ("triton", "pytorch-triton", "pytorch-triton-rocm", "triton-rocm", "pytorch-triton-xpu", "triton-windows")
facts = {"python": sys.version.split()[0], "prefix": sys.prefix, "include": sysconfig.get_paths()["include"],
         "packages": [name for name in ("setuptools", "packaging", "filelock", "sympy", "jinja2") if found(name)]}
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin:
    home = os.path.dirname(spec.origin)
    numbers, builder = text(home, "version.py"), text(home, "_inductor", "cpp_builder.py")
    facts["torch"] = {
        "home": home,
        "version": first(r"(?m)^__version__ *(?::[^=]*)?= *['\"]([^'\"]+)", numbers),
        "cuda": first(r"(?m)^cuda *(?::[^=]*)?= *['\"]([^'\"]+)", numbers),
        "hip": first(r"(?m)^hip *(?::[^=]*)?= *['\"]([^'\"]+)", numbers),
        "standard": first(r"(c\+\+\d\d)", builder) or first(r"(c\+\+\d\d)", text(home, "_inductor", "codecache.py")),
        "asks_openssl": "openssl" in text(home, "_inductor", "codecache.py"),
        "triton_pin": None,
        "triton": next(filter(None, map(version, TRITONS)), "unknown" if found("triton") else None),
    }
    try:
        from importlib.metadata import requires
        for need in requires("torch") or []:
            pin = re.match(r"(?:pytorch-)?triton(?:-\w+)? *\(?== *([\w.+]+)", need)
            if pin: facts["torch"]["triton_pin"] = pin.group(1)
    except Exception: pass
print("\n" + json.dumps(facts))
"""


class Torch(Record):
    """An installed torch, as its files describe it."""

    home: str
    version: str | None
    cuda: str | None
    hip: str | None
    #: The C++ standard that Inductor compiles with, such as c++20.
    standard: str | None
    asks_openssl: bool
    #: The Triton release that torch's own metadata ask for, and the one that is there; "unknown" if it does not say.
    triton_pin: str | None
    triton: str | None


class Python(Record):
    """A Python and its torch; ``torch`` is ``None`` where there is none."""

    path: str
    version: str
    include: str
    packages: tuple[str, ...]
    torch: Torch | None
    #: The variables of the process that would run torch.
    environ: Mapping[str, str]


def ask_python(path: str | None, environ: Mapping[str, str]) -> Python | str:
    """Return the Python at ``path``, by default the first that has torch; in words why none answers."""
    answers = [_ask(candidate, environ) for candidate in ([path] if path else _candidates(environ))]
    known = [answer for answer in answers if isinstance(answer, Python)]
    with_torch = [answer for answer in known if answer.torch]
    return next(iter([*with_torch, *known, *answers]), "no Python was found on PATH")


def _candidates(environ: Mapping[str, str]) -> Iterator[str]:
    seen = set()
    for found in (sys.executable, *(shutil.which(name, path=environ.get("PATH")) for name in ("python", "python3"))):
        if found and (real := os.path.realpath(found), Path(found).parent) not in seen:
            seen.add((real, Path(found).parent))
            yield found


def _ask(path: str, environ: Mapping[str, str]) -> Python | str:
    ran = run_program([path, "-c", _QUESTION], environ, _SECONDS)
    try:
        facts = json.loads(ran.output.strip().rpartition("\n")[2])
        return Python(
            path=path,
            version=facts["python"],
            include=facts["include"],
            packages=tuple(facts["packages"]),
            torch=Torch(**facts["torch"]) if facts.get("torch") else None,
            environ=environ,
        )
    except (ValueError, KeyError, TypeError):
        return ran.problem or f"{path}: {ran.output.strip()[-200:] or 'says nothing'}"
