"""The compilers and helpers that torch.compile calls, tried as torch would call them.

Inductor asks for $CXX or g++ and for nothing else. What a compiler can do is
only known when it has done it: a file like those of Inductor is compiled and
linked, and what the compiler says is read as any log is.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracelens.environment.observations import failed, not_run, observe, passed
from tracelens.environment.programs import Ran, run_program
from tracelens.environment.torch_facts import Python
from tracelens.findings import Check, CheckStatus
from tracelens.topics import Topic

_SECONDS = 60.0
_BRIEFLY = 10.0
_DEFAULT_STANDARD = "c++17"
#: What every kernel of Inductor needs: Python's header, OpenMP, the standard library, and a loop to share out.
_SOURCE = """\
#include <Python.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
extern "C" void kernel(const float* in, float* out, std::int64_t size) {
  #pragma omp parallel for
  for (std::int64_t at = 0; at < size; ++at) out[at] = std::max(in[at], 0.0f) + std::sqrt(std::abs(in[at]));
}
extern "C" PyObject* nothing() { Py_RETURN_NONE; }
"""


def look_at_cxx(python: Python) -> Sequence[Check]:
    """Find the C++ compiler, start it, and have it do what Inductor asks of one."""
    if sys.platform == "win32":
        return (not_run("C++ compiler", "compilers are not looked at on Windows"),)
    wanted = python.environ.get("CXX") or ("clang++" if sys.platform == "darwin" else "g++")
    # CXX may hold options as well, or a launcher such as ccache before the compiler.
    program = wanted.split()[0] if wanted.split() else wanted
    found = shutil.which(program, path=python.environ.get("PATH"))
    named = "CXX names" if python.environ.get("CXX") else "PATH has no"
    if found is None and Path(program).is_absolute() and Path(program).exists():
        detail = f"{named} {program}, which is no program that can be started"
        return (failed("C++ compiler", detail, Topic.CXX_CANNOT_RUN, path=program),)
    if found is None:
        detail = f"CXX names {program}, which is not there" if python.environ.get("CXX") else f"PATH has no {program}"
        return (failed("C++ compiler", detail, Topic.NO_CXX, compiler=program),)
    ran = run_program([*wanted.split(), "--version"], python.environ, _BRIEFLY)
    if not ran.is_good:
        return (_cannot_run(found, ran),)
    return (passed("C++ compiler", f"{found}: {ran.first_line}"), _compiled(wanted, python))


def _cannot_run(found: str, ran: Ran) -> Check:
    said = ran.problem or ran.first_line or f"ends with {ran.code} and says nothing"
    fact = observe(Topic.CXX_CANNOT_RUN, f"{found}: {said}", path=found)
    return Check(
        name="C++ compiler", status=CheckStatus.FAILED, detail=f"{found}: {said}", facts=(fact,), output=ran.output
    )


def _compiled(wanted: str, python: Python) -> Check:
    standard = (python.torch and python.torch.standard) or _DEFAULT_STANDARD
    # Apple's clang knows OpenMP, if at all, in ways of its own.
    openmp = () if sys.platform == "darwin" else ("-fopenmp",)
    name = f"compile and link with -std={standard}, {'OpenMP' if openmp else 'no OpenMP'} and Python.h"
    folder = _scratch(python)
    if folder is None:
        return not_run(name, "no folder can be written to")
    with tempfile.TemporaryDirectory(dir=folder, prefix="tracelens-") as work:
        source = Path(work, "kernel.cpp")
        source.write_text(_SOURCE, encoding="utf-8")
        options = [f"-std={standard}", "-O1", "-fPIC", "-shared", *openmp, f"-I{python.include}"]
        command = [*wanted.split(), *options, str(source), "-o", f"{work}/kernel.so"]
        if sys.platform == "darwin":
            command += ["-undefined", "dynamic_lookup"]
        ran = run_program(command, {**python.environ, "LC_ALL": "C"}, _SECONDS, Path(work))
    if ran.is_good:
        return passed(name, "done")
    if ran.code is None:
        return not_run(name, ran.problem or "")
    return Check(name=name, status=CheckStatus.FAILED, detail=ran.first_line, output=ran.output)


def _scratch(python: Python) -> str | None:
    """Return a folder with room that allows files: where it lies is looked at by others."""
    for folder in (python.environ.get("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm", str(Path.home()), "."):  # noqa: S108
        if folder and os.access(folder, os.W_OK | os.X_OK):
            try:
                with tempfile.TemporaryFile(dir=folder) as file:
                    file.write(b"\0" * 2**20)
                    file.flush()
            except OSError:
                continue
            return folder
    return None


def look_at_helpers(python: Python) -> Sequence[Check]:
    """Look for the programs and packages that a build calls beside the compiler."""
    return tuple(_helpers(python))


def _helpers(python: Python) -> Iterator[Check]:
    path = python.environ.get("PATH")
    ran = run_program(["ninja", "--version"], python.environ, _BRIEFLY)
    if ran.is_good:
        yield passed("ninja", f"{shutil.which('ninja', path=path)}: {ran.first_line}")
    else:
        said = ran.problem or ran.first_line or f"ends with {ran.code}"
        detail = f"{said}: extensions cannot be built; Inductor needs none"
        fact = observe(Topic.NO_NINJA, f"ninja: {detail}", fatal=False)
        yield Check(name="ninja", status=CheckStatus.FAILED, detail=detail, facts=(fact,), output=ran.output)
    if python.torch and python.torch.asks_openssl and sys.platform != "win32":
        yield _openssl(python)
    if "setuptools" in python.packages:
        yield passed("setuptools", "there")
    elif python.torch:
        detail = "not installed: extensions cannot be built"
        yield failed("setuptools", detail, Topic.NO_PACKAGE, fatal=False, package="setuptools")


def _openssl(python: Python) -> Check:
    if python.environ.get("TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS") == "0":
        return passed("openssl", "not needed: precompiled headers are switched off")
    ran = run_program(["openssl", "version"], python.environ, _BRIEFLY)
    if ran.is_good:
        return passed("openssl", ran.first_line)
    return failed("openssl", ran.problem or ran.first_line, Topic.NO_OPENSSL)
