"""The GPU, its driver, the toolkit and Triton: do they belong together?

Nothing here needs torch to work. Without an NVIDIA driver there is little to
look at, and that is said rather than counted as a fault.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracelens.environment.observations import failed, not_run, passed
from tracelens.environment.programs import run_program
from tracelens.environment.torch_facts import Python, Torch
from tracelens.findings import Check, CheckStatus
from tracelens.record import Record
from tracelens.topics import Topic

_SECONDS = 20.0
_RELEASE = re.compile(r"release (\d+\.\d+)")
_QUERY = ["nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"]
_DRIVER_CUDA = re.compile(r"CUDA Version: *(\d+\.\d+)")
#: What Triton compiles for at the least, by its own check.
_OLDEST_FOR_TRITON = (7, 0)
#: The stub that Triton builds and links before its first kernel, as far as it can fail.
_STUB = "#include <Python.h>\nint cuInit(unsigned);\nint main(void) { return Py_IsInitialized() + (cuInit(0) != 0); }\n"


class Gpu(Record):
    """The first GPU of this machine, as its driver tells."""

    name: str
    capability: tuple[int, int]
    driver: str

    @property
    def architecture(self) -> str:
        """Return the name that assemblers have for it."""
        return f"sm_{self.capability[0]}{self.capability[1]}"


def find_gpu(python: Python) -> Gpu | str:
    """Return the first GPU, or in words why there is none."""
    ran = run_program(_QUERY, python.environ, _SECONDS)
    fields = [field.strip() for field in ran.first_line.split(",")]
    if not ran.is_good or len(fields) < 3:
        return ran.problem or ran.first_line or "nvidia-smi names no GPU"
    major, _, minor = fields[1].partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        return f"nvidia-smi says: {ran.first_line}"
    return Gpu(name=fields[0], capability=(int(major), int(minor)), driver=fields[2])


def look_at_gpu(python: Python) -> Sequence[Check]:
    """Look at everything that a GPU build of torch needs beside a C++ compiler."""
    gpu = find_gpu(python)
    return (*_gpu(python, gpu), *_triton(python.torch, gpu), *_toolkit(python), *_kernels(python, gpu))


def _gpu(python: Python, gpu: Gpu | str) -> Iterator[Check]:
    if isinstance(gpu, str):
        yield not_run("GPU", gpu)
        return
    newest = _DRIVER_CUDA.search(run_program(["nvidia-smi"], python.environ, _SECONDS).output)
    wanted = python.torch and python.torch.cuda
    if newest and wanted and int(newest[1].partition(".")[0]) < int(wanted.partition(".")[0]):
        detail = f"driver {gpu.driver} knows CUDA up to {newest[1]}, and torch was made for {wanted}"
        yield failed("GPU", detail, Topic.OLD_DRIVER, version=gpu.driver)
        return
    yield passed("GPU", f"{gpu.name}, {gpu.architecture}, driver {gpu.driver}")


def _triton(torch: Torch | None, gpu: Gpu | str) -> Iterator[Check]:
    name = "Triton"
    if torch is None or not (torch.cuda or torch.hip):
        yield not_run(name, "this torch has no GPU support, so it needs none" if torch else "no torch")
    elif torch.triton is None:
        yield failed(name, "not installed", Topic.NO_TRITON)
    elif torch.triton_pin and not _is_release(torch.triton, torch.triton_pin):
        detail = f"torch {torch.version} asks for triton {torch.triton_pin}, and {torch.triton} is installed"
        yield failed(name, detail, Topic.OTHER_TRITON, fatal=False, detail=detail)
    elif isinstance(gpu, Gpu) and gpu.capability < _OLDEST_FOR_TRITON:
        capability = ".".join(map(str, gpu.capability))
        detail = f"{gpu.name} is too old for it"
        yield failed(name, detail, Topic.GPU_OLDER_THAN_TRITON, gpu_name=gpu.name, capability=capability, what=name)
    else:
        yield passed(name, f"{torch.triton}, as torch asks for" if torch.triton_pin else torch.triton)


def _is_release(version: str, pin: str) -> bool:
    return version == "unknown" or version.partition("+")[0] == pin.partition("+")[0]


def _toolkit(python: Python) -> Iterator[Check]:
    """Look at CUDA_HOME and nvcc, which only extensions need."""
    name = "CUDA toolkit"
    home = python.environ.get("CUDA_HOME") or python.environ.get("CUDA_PATH")
    nvcc = f"{home}/bin/nvcc" if home else shutil.which("nvcc", path=python.environ.get("PATH"))
    if nvcc is None:
        yield not_run(name, "neither CUDA_HOME nor nvcc: only extensions need one")
        return
    ran = run_program([nvcc, "--version"], python.environ, _SECONDS)
    release = _RELEASE.search(ran.output)
    wanted = python.torch and python.torch.cuda
    if release is None:
        detail = f"CUDA_HOME is {home!r}, and {nvcc} cannot be started" if home else f"{nvcc} cannot be started"
        yield failed(name, detail, Topic.NO_NVCC, fatal=False, path=nvcc)
    elif wanted and release[1].partition(".")[0] != wanted.partition(".")[0]:
        detail = f"{nvcc} is of CUDA {release[1]}, and torch was made for {wanted}"
        yield failed(name, detail, Topic.OTHER_TOOLKIT, fatal=False, toolkit=release[1], torch_cuda=wanted)
    else:
        yield passed(name, f"{nvcc}: CUDA {release[1]}")


def _kernels(python: Python, gpu: Gpu | str) -> Iterator[Check]:
    """Look at what Triton calls for each kernel: a C compiler, libcuda, and its assembler."""
    torch = python.torch
    if isinstance(gpu, str) or torch is None or not torch.cuda:
        reason = gpu if isinstance(gpu, str) else "this torch was not made for CUDA"
        yield not_run("C compiler, libcuda and ptxas for Triton", reason)
        return
    yield _stub(python)
    if gpu.capability >= _OLDEST_FOR_TRITON:
        yield _assembler(python, torch, gpu)


def _stub(python: Python) -> Check:
    name = "C compiler with Python.h and libcuda"
    path = python.environ.get("PATH")
    wanted = python.environ.get("CC") or shutil.which("gcc", path=path) or shutil.which("clang", path=path)
    if wanted is None or shutil.which(wanted.split()[0], path=path) is None:
        return failed(name, f"{wanted or 'neither CC nor gcc nor clang'} is there", Topic.NO_CC)
    folders = _folders_of_libcuda(python)
    if not folders:
        return failed(name, "ldconfig knows no libcuda.so.1", Topic.NO_LIBCUDA, library="libcuda.so")
    with tempfile.TemporaryDirectory(prefix="tracelens-") as work:
        source = Path(work, "stub.c")
        source.write_text(_STUB, encoding="utf-8")
        options = ["-fPIC", "-shared", f"-I{python.include}", *(f"-L{folder}" for folder in folders)]
        command = [*wanted.split(), str(source), *options, "-l:libcuda.so.1", "-o", f"{work}/stub.so"]
        ran = run_program(command, {**python.environ, "LC_ALL": "C"}, _SECONDS)
    if ran.is_good:
        return passed(name, f"{wanted} links with libcuda.so.1, looked for in {', '.join(folders)}")
    if ran.code is None:
        return not_run(name, ran.problem or "")
    if not ran.output.strip():
        return failed(name, f"{wanted} ends with {ran.code} and says nothing", Topic.CC_CANNOT_RUN, path=wanted)
    return Check(name=name, status=CheckStatus.FAILED, detail=ran.first_line, output=ran.output)


def _folders_of_libcuda(python: Python) -> list[str]:
    """Return the folders in which Triton would find the driver's library."""
    if chosen := python.environ.get("TRITON_LIBCUDA_PATH"):
        return [chosen]
    ran = run_program(["/sbin/ldconfig", "-p"], python.environ, _SECONDS)
    found = [str(Path(line.split()[-1]).parent) for line in ran.output.splitlines() if "libcuda.so.1" in line]
    more = (folder for folder in python.environ.get("LD_LIBRARY_PATH", "").split(":") if folder)
    return list(dict.fromkeys([*found, *(folder for folder in more if Path(folder, "libcuda.so.1").exists())]))


def _assembler(python: Python, torch: Torch, gpu: Gpu) -> Check:
    name = "ptxas"
    chosen = python.environ.get("TRITON_PTXAS_PATH")
    inner = Path(torch.home).parent / "triton" / "backends" / "nvidia" / "bin" / "ptxas"
    program = Path(chosen) if chosen else inner
    if not os.access(program, os.X_OK):
        return failed(name, f"{program} cannot be started", Topic.NO_PTXAS, tool=str(program))
    # Its help lists every architecture that it knows.
    ran = run_program([program, "--help"], python.environ, _SECONDS)
    if not ran.is_good:
        return failed(name, f"{program}: {ran.problem or ran.first_line}", Topic.NO_PTXAS, tool=str(program))
    if f"'{gpu.architecture}'" in ran.output:
        return passed(name, f"{program} knows {gpu.architecture}")
    detail = f"{program} does not know {gpu.architecture}"
    return failed(name, detail, Topic.PTXAS_TOO_OLD, arch=gpu.architecture, program=str(program))
