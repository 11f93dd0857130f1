"""Faults on which ``tracelens verify`` is tried, with what it has to answer.

A case takes a fault of the lab, or a like one that needs no installation, and names
the fixes that end it and the advice that does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from corpus.faults import faults_cache, faults_shapes
from corpus.faults.faults_toolchain import INCLUDE
from corpus.faults.model import Fault

EVERYTHING = (*faults_cache.FAULTS, *faults_shapes.FAULTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A fault, the fixes that have to be called ``fixes``, and those that have to be ``does not fix``.

    What the diagnosis does not recommend is asked for with ``--try``.
    """

    fault: Fault
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # more arguments of the command


def lab(name: str, right: tuple[str, ...], wrong: tuple[str, ...] = (), options: tuple[str, ...] = ()) -> Case:
    """Return the case of a fault of the lab."""
    fault = next(fault for fault in EVERYTHING if fault.name == name)
    return Case(fault=fault, right=right, wrong=wrong, options=options)


def tool(name: str, label: str, inject: str, *, workload: str = "infer", prepare: tuple[str, ...] = ()) -> Fault:
    """Return a fault of a tool that is hidden, not removed: nothing has to be installed for it."""
    return Fault(
        name=name,
        label=label,
        workload=workload,
        start="probed",
        inject=(inject,),
        prepare=prepare,
        fixes=(),
        seconds=200,
    )


GXX = "path_without g++ 'g++-*' 'x86_64-linux-gnu-g++*' c++ 'clang++*'"
COMPILER = "toolchain/cxx-missing"
TOOLS = (
    Case(
        fault=tool("cxx-names-nothing", COMPILER, "export CXX=/opt/gcc-13/bin/g++"),
        right=("cxx-env", "unset-cxx", "disable-compile"),
        wrong=("clear-the-cache", "install-ninja", "dynamic-true"),
    ),
    Case(
        fault=tool("gxx-off-path", COMPILER, GXX),
        right=("cxx-env", "disable-compile"),
        wrong=("clear-the-cache", "install-ninja", "one-thread"),
    ),
    Case(
        fault=tool("gcc-exec-prefix", "toolchain/compiler-incomplete", "export GCC_EXEC_PREFIX=/opt/gcc-13/lib/gcc/"),
        right=("clean-compiler-environment", "disable-compile"),
        wrong=("clear-the-cache", "install-ninja"),
    ),
    Case(
        fault=tool(
            "no-python-h",
            "toolchain/python-headers",
            f'{INCLUDE}; without "$INCLUDE/Python.h"',
            prepare=(INCLUDE, 'cp -rL "$INCLUDE" ~/include'),
        ),
        right=("python-headers-path",),
        wrong=("clear-the-cache", "install-ninja", "dynamic-true"),
    ),
    Case(
        fault=tool(
            "no-openssl",
            "toolchain/helper-missing",
            "path_without openssl; export TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=1",
        ),
        right=("no-precompiled-header",),
        wrong=("clear-the-cache",),
    ),
    Case(
        fault=tool("ninja-off-path", "toolchain/ninja-missing", "path_without ninja", workload="extension"),
        right=("install-ninja",),
        wrong=("clear-the-cache", "unset-cxx"),
    ),
)
CACHES = (
    lab(
        "library-empty",
        ("delete-bad-library", "force-disable-caches", "delete-caches", "other-cache-dir"),
        ("no-graph-cache", "install-ninja"),
    ),
    lab("library-cut", ("delete-caches", "force-disable-caches"), ("no-graph-cache",)),
    lab("module-half", ("delete-bad-module", "force-disable-caches", "delete-caches"), ("no-graph-cache",)),
    lab("module-empty", ("delete-bad-module", "force-disable-caches", "delete-caches")),
    lab("extension-baton", ("delete-baton", "delete-extension"), ("clear-the-cache", "one-job"), ("--timeout", "40")),
    lab("cache-full", ("other-cache-dir", "other-tmpdir"), ("clear-the-cache",)),
    lab("tmp-noexec", ("other-cache-dir", "other-tmpdir"), ("clear-the-cache",)),
    lab("cache-read-only", ("other-cache-dir", "other-tmpdir"), ("clear-the-cache",)),
    lab("cache-of-root", ("other-cache-dir",), ("clear-the-cache",)),
)
#: Fixes that came with a release of torch, and what is true of them before.
SINCE = {
    "eager-on-recompile": ((2, 6), "not applicable here"),
    "module-int-dynamic": ((2, 6), "not applicable here"),
    # Before, whether a slice is the whole had to be decided, too: only < decides that.
    "check": ((2, 6), "does not fix"),
    # A float was a constant whatever was said of dynamic.
    "drop-dynamic-false": ((2, 6), "does not fix"),
}
NO_CACHE = ("clear-the-cache",)
SHAPES = (
    lab(
        "recompile-size",
        ("dynamic-true", "mark-dynamic", "raise-limit", "eager-on-recompile", "pad"),
        ("clear-the-cache", "suppress-errors"),
    ),
    lab("recompile-size-one", ("mark-unbacked", "avoid-one"), ("dynamic-true",)),
    lab("recompile-stride", ("contiguous",), ("dynamic-true",)),
    lab("recompile-rank", ("fixed-rank",), ("dynamic-true",)),
    lab("recompile-module-int", ("int-to-tensor", "module-int-dynamic"), ("clear-the-cache",)),
    lab("recompile-float", ("float-to-tensor", "drop-dynamic-false"), ("clear-the-cache",)),
    lab("recompile-string", ("hoist-constant",), ("dynamic-true",)),
    lab("recompile-identity", ("stable-object",), ("dynamic-true",)),
    lab("recompile-container", ("fixed-container",), ("dynamic-true",)),
    lab("recompile-dtype", ("one-property",), ("dynamic-true",)),
    lab("recompile-grad-mode", ("one-mode",), ("dynamic-true",)),
    lab("recompile-parameter-size", ("parameter-shapes",), ("dynamic-true",)),
    lab("constraint-constant", ("maybe-mark-dynamic", "remove-constant"), ("dynamic-true",)),
    lab("data-slice", ("check", "tensor-op", "allow-break"), ("dynamic-true", *NO_CACHE)),
    lab("data-branch", ("cond", "allow-break"), ("dynamic-true", *NO_CACHE)),
)
CASES = tuple(replace(case, fault=replace(case.fault, fixes=())) for case in (*TOOLS, *CACHES, *SHAPES))
