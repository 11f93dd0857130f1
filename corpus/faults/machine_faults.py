"""Faults that leave a trace on the machine, and which commands have to name them there.

Each is made in a room of its own: files are really cut, programs really absent,
file systems really full. Nothing is installed, so that a fault takes seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from corpus.faults import faults_cache, faults_toolchain
from corpus.faults.faults_cache import LIBRARIES, MODULES
from corpus.faults.faults_shapes import CONFIG
from corpus.faults.faults_toolchain import INCLUDE
from corpus.faults.model import Fault


class Tool(Enum):
    """A command of tracelens that looks at the machine."""

    RUN = "run"
    DOCTOR = "doctor"
    CHECK = "cache check"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFault:
    """A fault, who has to name it, and labels that are right as well."""

    fault: Fault
    tools: tuple[Tool, ...]
    also: frozenset[str] = field(default_factory=frozenset)


EVERYBODY = (Tool.RUN, Tool.DOCTOR, Tool.CHECK)
BOTH = (Tool.RUN, Tool.DOCTOR)
KNOWN = {fault.name: fault for fault in faults_cache.FAULTS}
HEADER = "export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=1"
#: The linker is killed as soon as the library of the kernel is there.
KILLED_WHILE_LINKING = """
rm -rf "$CACHE"/fxgraph "$CACHE"/aotautograd; for so in $LIBRARIES; do rm -f "$so"; done
"$PYTHON" ~/infer.py > /dev/null 2>&1 & worker=$!
for so in $LIBRARIES; do while [ ! -e "$so" ] && kill -0 $worker 2> /dev/null; do :; done; : > "$so"; done
kill -9 $worker; wait
"""


def of_cache(name: str, prepare: str, *, inject: tuple[str, ...] = (), start: str = "warm") -> MachineFault:
    """Return the fault of a file that was cut off in a cache."""
    fault = Fault(
        name=name,
        label=faults_cache.TRUNCATED,
        workload="infer",
        start=start,
        prepare=(prepare,),
        inject=inject,
        fixes=(),
    )
    return MachineFault(fault=fault, tools=EVERYBODY)


def of_storage(name: str, label: str, *inject: str, start: str = "probed", **more: tuple[str, ...]) -> MachineFault:
    """Return the fault of a directory that refuses."""
    fault = Fault(name=name, label=label, workload="infer", start=start, inject=inject, fixes=(), **more)  # type: ignore[arg-type] # only prepare
    return MachineFault(fault=fault, tools=BOTH)


def of_tools(name: str, label: str, *inject: str, workload: str = "infer", also: str = "") -> MachineFault:
    """Return the fault of a tool that is not there."""
    start = "probed" if workload == "infer" else "bare"
    fault = Fault(name=name, label=label, workload=workload, start=start, inject=inject, fixes=())
    return MachineFault(fault=fault, tools=BOTH, also=frozenset({also} - {""}))


def known(name: str, *tools: Tool) -> MachineFault:
    """Return a fault of the lab, without its fixes."""
    return MachineFault(fault=replace(KNOWN[name], fixes=()), tools=tools)


CACHES = (
    of_cache("library-empty", f"keep_part 0 {LIBRARIES}"),
    of_cache("library-100-bytes", f"truncate -s 100 {LIBRARIES}"),
    of_cache("library-garbage", f"for so in {LIBRARIES}; do head -c 20000 /dev/urandom > $so; done"),
    of_cache("library-1-percent", f"keep_part 1 {LIBRARIES}"),
    of_cache("library-5-percent", f"keep_part 5 {LIBRARIES}"),
    of_cache("library-15-percent", f"keep_part 15 {LIBRARIES}"),
    of_cache("library-25-percent", f"keep_part 25 {LIBRARIES}"),
    of_cache("library-faulthandler", f"keep_part 15 {LIBRARIES}", inject=("export PYTHONFAULTHANDLER=1",)),
    of_cache("killed-while-linking", f"LIBRARIES={LIBRARIES}; {KILLED_WHILE_LINKING}"),
    of_cache("module-half", f"keep_part 50 {MODULES}"),
    of_cache("module-empty", f"keep_part 0 {MODULES}"),
    of_cache("graph-entries-garbage", KNOWN["graph-entries-garbage"].prepare[0]),
    of_cache("graph-entries-cut", 'keep_part 40 $(find "$CACHE"/fxgraph "$CACHE"/aotautograd -type f)'),
    known("extension-baton", *EVERYBODY),
    known("lock-held", Tool.RUN),
)
STORAGE = (
    known("cache-of-root", *BOTH),
    known("warm-cache-of-root", *BOTH),
    known("cache-full", *BOTH),
    known("tmp-full", *BOTH),
    of_storage("cache-without-inodes", "cache/no-space", 'on_tmpfs "$CACHE" nr_inodes=8', start="bare"),
    known("tmp-noexec", *BOTH),
    of_storage("warm-cache-noexec", "cache/noexec-or-readonly", 'remount "$CACHE" noexec', start="warm"),
    known("cache-read-only", *BOTH),
    of_storage("cold-cache-read-only", "cache/noexec-or-readonly", 'remount "$CACHE" ro'),
    known("no-temporary-directory", *BOTH),
)
CXX = "toolchain/cxx-missing"
PART = "toolchain/compiler-incomplete"
TOOLS = (
    of_tools("no-gxx", CXX, "own_system; rm -f /usr/bin/*g++* /usr/bin/c++*"),
    of_tools("gxx-off-path", CXX, "path_without g++ 'g++-*' 'x86_64-linux-gnu-g++*' c++ 'clang++*'"),
    of_tools("cxx-names-nothing", CXX, "export CXX=/opt/gcc-13/bin/g++"),
    of_tools("cxx-is-a-folder", CXX, "export CXX=/usr/lib"),
    of_tools("no-cc1plus", PART, 'own_system; rm "$(g++ -print-prog-name=cc1plus)"'),
    of_tools("no-assembler", PART, "own_system; rm /usr/bin/as /usr/bin/x86_64-linux-gnu-as"),
    of_tools("no-linker", PART, "own_system; rm -f /usr/bin/ld /usr/bin/*-ld /usr/bin/ld.* /usr/bin/*-ld.*"),
    of_tools("gcc-exec-prefix", PART, "export GCC_EXEC_PREFIX=/opt/gcc-13/lib/gcc/"),
    of_tools("no-python-h", "toolchain/python-headers", INCLUDE, 'without "$INCLUDE/Python.h"'),
    of_tools("gxx-without-omp-h", "toolchain/openmp", 'own_system; rm "$(g++ -print-file-name=include)/omp.h"'),
    of_tools(
        "no-libgomp",
        "toolchain/openmp",
        'own_system; rm -f "$(g++ -print-file-name=libgomp.so)" "$(g++ -print-file-name=libgomp.a)"',
    ),
    of_tools("no-libstdcxx-dev", "toolchain/std-headers", "own_system; rm -rf /usr/include/c++"),
    of_tools("no-libc-dev", "toolchain/std-headers", "own_system; rm -f /usr/include/std*.h /usr/include/features.h"),
    of_tools("no-ninja", "toolchain/ninja-missing", "own_system; rm -f /usr/bin/ninja", workload="extension"),
    of_tools("ninja-off-path", "toolchain/ninja-missing", "path_without ninja", workload="extension"),
    of_tools("no-openssl", "toolchain/helper-missing", f"own_system; rm -f /usr/bin/openssl; {HEADER}"),
    of_tools("openssl-off-path", "toolchain/helper-missing", f"path_without openssl; {HEADER}"),
    of_tools(
        "no-setuptools",
        "toolchain/helper-missing",
        'without "$("$PYTHON" -c "import setuptools, os; print(os.path.dirname(setuptools.__file__))")"',
        workload="extension",
    ),
)
#: Made with programs of the mirror, which has to be reachable.
INSTALLED = tuple(
    MachineFault(fault=replace(fault, fixes=()), tools=BOTH)
    for fault in faults_toolchain.FAULTS
    if fault.name in {"old-libstdcxx-on-path", "gxx-9", "clang-without-libomp"}
)
#: The room is a control group of its own, with so much memory; version 1 of control groups.
LIMITED = """
GROUP=/sys/fs/cgroup/memory/room; mkdir -p $GROUP && echo {limit} > $GROUP/memory.limit_in_bytes || refuse "a limit"
echo 0 > $GROUP/cgroup.procs; trap 'echo 0 > /sys/fs/cgroup/memory/cgroup.procs; rmdir $GROUP' EXIT
"""
FOR_EVER = (
    ('backend="eager"', 'backend="eager", dynamic=False'),
    ("range(16, 16 + 3 * 12, 3)", "range(16, 100_000, 3)"),
    (
        CONFIG,
        f"torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 99_999\n{CONFIG}",
    ),
)
MEMORY = (
    MachineFault(
        fault=Fault(
            name="recompiles-until-killed",
            label="dynamic-shapes/recompile-memory",
            workload="lengths",
            start="warm",
            inject=(LIMITED.format(limit="400M"), "export TORCH_LOGS=recompiles"),
            edit=FOR_EVER,
            fixes=(),
            seconds=240,
        ),
        tools=(Tool.RUN,),
    ),
    MachineFault(
        fault=Fault(
            name="killed-for-its-memory",
            label="outside/host-oom",
            workload="infer",
            start="warm",
            inject=(LIMITED.format(limit="400M"),),
            edit=(("torch.randn(8, 16)", "torch.ones(8_000_000, 16)"),),
            fixes=(),
        ),
        tools=(Tool.RUN,),
    ),
)
FAULTS = (*CACHES, *STORAGE, *TOOLS, *INSTALLED, *MEMORY)
