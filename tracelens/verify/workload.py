"""What is run in the place of the user's program, chosen from what the diagnosis says.

A failure that does not depend on the graph is met by a probe of the stage that
failed; a broken cache by the module that it belongs to; recompilations by a toy
with the same guard. Where nothing of ours can meet it, that is said.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tracelens.environment.roots import CacheKind, CacheRoot, cache_roots
from tracelens.events import GuardKind
from tracelens.findings import Diagnosis, Finding, Stage, StageStatus
from tracelens.record import Record
from tracelens.verification import GraphSource, VerifiedGraph
from tracelens.verify.log_events import Recompilation, read_recompilation
from tracelens.verify.places import PlaceMode

_ON_GPU = frozenset(
    {
        "toolchain/cc-missing",
        "toolchain/libcuda-link",
        "toolchain/triton-missing",
        "abi/ptx-version",
        "abi/gpu-unsupported",
        "abi/torch-triton-mismatch",
        "abi/driver-too-old",
    }
)
_CUDA_BUILDS = frozenset(
    {"toolchain/cuda-toolkit-missing", "abi/cuda-mismatch", "abi/host-compiler-unsupported", "abi/kernel-image"}
)
_OF_ARTIFACTS = frozenset({"cache/truncated-artifact", "cache/vanished-file", "cache/stale-artifact"})
_ON_FILE_SYSTEM = frozenset({"cache/permission", "cache/no-space", "cache/noexec-or-readonly"})
#: Met by C++ kernels and by Triton alike; where the log goes through Triton, a probe on the CPU may miss it.
_EITHER = _ON_FILE_SYSTEM | {"toolchain/python-headers"}
_IN_TRITON = re.compile(r"[/\\]triton[/\\](?:runtime|backends|compiler)[/\\][\w/\\]+\.py\"?, line ")
_TOYS_OF_GUARDS = {
    GuardKind.SIZE: "size",
    GuardKind.SYMBOLIC: "size",
    GuardKind.STRIDE: "stride",
    GuardKind.RANK: "rank",
    GuardKind.INT: "int",
    GuardKind.FLOAT: "float",
    GuardKind.STRING: "string",
    GuardKind.OBJECT_ID: "object id",
    GuardKind.TYPE: "object id",
    GuardKind.DTYPE: "dtype",
    GuardKind.LENGTH: "length",
    GuardKind.KEYS: "length",
    GuardKind.GRAD_MODE: "grad mode",
    GuardKind.REQUIRES_GRAD: "grad mode",
    GuardKind.GLOBAL_STATE: "grad mode",
}
#: A size of a parameter looks like any other in the guard.
_TOYS_OF_RULES = {"TL314": "parameter size"}
_CUDAGRAPHS = {"TL381": "rerecord", "TL961": "overwritten", "TL963": "mutated"}
_TRACED = {"TL351": "constant", "TL361": "slice", "TL362": "branch", "TL364": "branch", "TL365": "slice"}
#: How torch names what it generates; the file lies in a folder of the second and third letter.
_KEY = re.compile(r"\bc[a-z2-7]{40,60}\b")
_CPP_WRAPPER = re.compile(r"cpp_wrapper(?:_cpu|_gpu)?\.py|cpp_wrapper\s*=\s*True|TORCHINDUCTOR_CPP_WRAPPER=1")
_IN_BACKWARD = re.compile(r"\bin (?:_backward_impl|bw_compiler\w*|compile_fx_backward|call_compiled_backward)\b")
#: Triton's own functions that load the small libraries which it builds for every program.
_HELPER_LOADED = re.compile(r"\b(?:_load_module_from_path|compile_module_from_src)\b")
_CACHE_FILE = re.compile(r"/[^\s\"',:()]*/(?:[a-z0-9]{2}/c[a-z2-7]{40,}[\w.]*|fxgraph/[^\s\"':]*|triton/[^\s\"':]*)")


#: torch makes a graph for the size 1, one for the next size, and then one for all: no more unless it is told to.
_ONE_AND_MORE = 3


class Workload(Record):
    """A job for the child, and how its places and variables are made.

    ``artifact`` is the file of the user's cache that the failure is about: a run
    that never came upon it tells nothing.
    """

    job: dict[str, Any]
    graph: VerifiedGraph
    places: PlaceMode = PlaceMode.FRESH
    device: str = "cpu"
    unpinned: frozenset[str] = frozenset()
    artifact: Path | None = None
    lock_folder: Path | None = None
    #: A failure of a cache counts only where its entry was hit, as torch counts it.
    needs_hit: bool = False
    #: The user's own program and its arguments, in the place of a job.
    script: tuple[str, ...] = ()


def choose_workload(
    diagnosis: Diagnosis, log: str, text: str, environ: Mapping[str, str], script: tuple[str, ...] = ()
) -> Workload | str:
    """Return what to run for the first finding, or why nothing can be; ``log`` is its path, ``text`` its content."""
    finding = diagnosis.findings[0]
    label = finding.label
    chosen: Workload | str = f"nothing of ours can meet {label}: the program itself is needed (--script)"
    if script:
        graph = VerifiedGraph(kind=GraphSource.SCRIPT, source=" ".join(script), note="your own program, as it is")
        chosen = Workload(job={"kind": "script"}, graph=graph, places=places_of(label), script=script)
    elif finding.code in _CUDAGRAPHS:
        toy = _CUDAGRAPHS[finding.code]
        chosen = _toy({"kind": "cudagraphs", "toy": toy}, f"a toy of CUDA graphs ({toy})", device="cuda")
    elif label.startswith("dynamic-shapes/"):
        chosen = _for_shapes(finding, log)
    elif label in _OF_ARTIFACTS:
        chosen = _for_artifact(diagnosis, text, environ)
    elif label == "cache/stale-lock":
        chosen = _for_lock(finding, text, environ)
    elif label in _ON_FILE_SYSTEM:
        chosen = _probe(diagnosis, text, places=PlaceMode.PLACED)
    elif label.startswith("toolchain/") or label in {"abi/glibcxx", *_ON_GPU, *_CUDA_BUILDS}:
        chosen = _probe(diagnosis, text)
    return chosen


def of_another_system(diagnosis: Diagnosis) -> str | None:
    """Say that the failure cannot be met here, for the log is of another kind of machine."""
    of_log = (diagnosis.environment.os or "").casefold()
    is_of_windows = of_log.startswith("windows") or diagnosis.label == "toolchain/msvc-missing"
    system = "Windows" if is_of_windows else "macOS" if of_log.startswith(("macos", "darwin")) else None
    if system is None or (system == "macOS" and sys.platform == "darwin"):
        return None
    return f"the log is of {system}, and this machine is not"


def places_of(label: str) -> PlaceMode:
    """Return how private the places of a run may be, for the failure to be met at all."""
    if label in _ON_FILE_SYSTEM:
        return PlaceMode.PLACED
    return PlaceMode.COPIED if label.startswith("cache/") else PlaceMode.FRESH


def _probe(diagnosis: Diagnosis, text: str, places: PlaceMode = PlaceMode.FRESH) -> Workload:
    finding = diagnosis.findings[0]
    failed = {item.stage for item in diagnosis.pipeline if item.status is StageStatus.FAILED} | {finding.stage}
    unpinned = unpinned_for(finding.label)
    if finding.label in _CUDA_BUILDS:
        job: dict[str, Any] = {"kind": "extension", "cuda": True}
        return _of_ours(job, "a CUDA extension of one kernel", places, "cuda", unpinned)
    if Stage.NINJA in failed or finding.label == "abi/glibcxx":
        return _of_ours({"kind": "extension"}, "a C++ extension of two lines", places, "cpu", unpinned)
    in_triton = finding.label in _EITHER and _IN_TRITON.search(text) is not None
    on_gpu = finding.label in _ON_GPU or Stage.TRITON in failed or in_triton
    train = "backward" in finding.summary.casefold() or _IN_BACKWARD.search(text) is not None
    job = {"kind": "probe", "train": train, "steps": 5}
    name = "a Triton kernel" if on_gpu else "a C++ kernel"
    has_wrapper = _CPP_WRAPPER.search(text) is not None
    # Kernels of a GPU ask nothing of the processor.
    job["seeding"] = places is PlaceMode.FRESH and (has_wrapper or not on_gpu)
    if has_wrapper:
        job["config"] = [["torch._inductor.config", "cpp_wrapper", True]]
        name += " called from a C++ wrapper"
    if train:
        name += ", forward and backward"
    return _of_ours(job, name, places, "cuda" if on_gpu else "cpu", unpinned)


def unpinned_for(label: str) -> frozenset[str]:
    """Return the settings that stay as they are.

    The precompiled header needs openssl, and fills a small /tmp; and whether there is one
    is part of the names of kernels in the cache.
    """
    if label in {"toolchain/helper-missing", "cache/no-space", *_OF_ARTIFACTS}:
        return frozenset({"TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS"})
    return frozenset()


def _of_ours(
    job: dict[str, Any], source: str, places: PlaceMode, device: str, unpinned: frozenset[str] = frozenset()
) -> Workload:
    note = "a probe: it checks the machine, not your model"
    graph = VerifiedGraph(kind=GraphSource.PROBE, source=source, note=note)
    return Workload(job=job, graph=graph, places=places, device=device, unpinned=unpinned)


def _for_shapes(finding: Finding, log: str) -> Workload | str:
    if finding.code in _TRACED:
        toy = _TRACED[finding.code]
        return _toy({"kind": "tracing", "toy": toy}, f"a toy that traces what the log shows ({toy})")
    recompiled = read_recompilation(log)
    if not finding.label.endswith("/recompile-limit") or recompiled is None:
        return f"nothing of ours can meet {finding.code}: the program itself is needed (--script)"
    guard = _TOYS_OF_RULES.get(finding.code) or _TOYS_OF_GUARDS.get(recompiled.kind)
    one_of_few = 1 in recompiled.values and recompiled.limit < _ONE_AND_MORE
    if guard == "size" and (finding.code == "TL302" or one_of_few):
        guard = "size one"
    if guard is None:
        return f"no toy for guards on {recompiled.kind.value}; the program itself is needed (--script)"
    job = {
        "kind": "guards",
        "guard": guard,
        "dimension": min(recompiled.dimension, 8),
        "values": [value for value in recompiled.values if value <= 1 << 16],
        "limit": recompiled.limit,
    }
    return _toy(job, f"a toy whose guard on {_words(guard, recompiled)} fails as in the log")


def _words(guard: str, recompiled: Recompilation) -> str:
    if guard != "size" or not recompiled.values:
        return guard
    shown = ", ".join(str(value) for value in recompiled.values[:12])
    return f"dimension {recompiled.dimension}, sizes {shown},"


def _toy(job: dict[str, Any], source: str, device: str = "cpu") -> Workload:
    note = "a probe: it shows what this torch does in such a case, not your model"
    return Workload(job=job, graph=VerifiedGraph(kind=GraphSource.PROBE, source=source, note=note), device=device)


def _for_lock(finding: Finding, text: str, environ: Mapping[str, str]) -> Workload | str:
    if finding.code not in {"TL241", "TL245"}:
        return "a lock that another process holds is not held in a copy"
    locks = sorted(_root(CacheKind.EXTENSIONS, environ).path.rglob("lock"))
    named = [lock for lock in locks if str(lock.parent) in text or lock.parent.name in text]
    lock = next(iter(named or locks), None)
    if lock is None:
        return "there is no lock in the extension folder of this machine"
    graph = VerifiedGraph(
        kind=GraphSource.PROBE,
        source=f"a C++ extension built in a copy of {lock.parent}",
        note="a probe in your build folder",
    )
    return Workload(job={"kind": "extension"}, graph=graph, places=PlaceMode.COPIED, lock_folder=lock.parent)


def _for_artifact(diagnosis: Diagnosis, text: str, environ: Mapping[str, str]) -> Workload | str:
    """Find what broke in the user's own caches: the module of the graph that failed, or a library of Triton's."""
    root = _root(CacheKind.INDUCTOR, environ)
    if root.path.is_dir() and root.path.stat().st_uid != os.geteuid():
        return f"{root.path} belongs to another user, whose code is not run"
    shorts = [f"{key[1:3]}/{key}.py" for key in dict.fromkeys(_KEY.findall(text))]
    module = next((short for short in reversed(shorts) if (root.path / short).exists()), None)
    if module is None:
        if shorts:
            elsewhere = "the cached module that the log names is not on this machine"
        elif _HELPER_LOADED.search(text):
            elsewhere = "the library of Triton's cache that the log names is not on this machine"
        else:
            elsewhere = "the log names no module of Inductor's cache: the program itself is needed (--script)"
        return _for_helper(text, environ) or elsewhere
    evidence = "\n".join(item.text for item in diagnosis.findings[0].evidence)
    named = [Path(match[0]) for match in _CACHE_FILE.finditer(evidence)]
    artifact = next((path for path in named if root.path in path.parents), None)
    graph = VerifiedGraph(
        kind=GraphSource.EXACT,
        source=str(root.path / module),
        note="the module that Inductor made for this graph, from a copy of your cache",
    )
    device = "cuda" if _mentions_gpu(root.path / module) else "cpu"
    return Workload(
        job={"kind": "cached", "module": module},
        graph=graph,
        places=PlaceMode.COPIED,
        device=device,
        unpinned=unpinned_for(diagnosis.findings[0].label),
        artifact=artifact or (root.path / module),
    )


def _for_helper(text: str, environ: Mapping[str, str]) -> Workload | None:
    """Return a probe on copies of the caches, where Triton died of a library that it builds for every program."""
    folders = (_root(CacheKind.TRITON, environ).path, _root(CacheKind.INDUCTOR, environ).path / "triton")
    folder = next((folder for folder in folders if any(folder.rglob("*.so"))), None)
    if folder is None or not _HELPER_LOADED.search(text):
        return None
    graph = VerifiedGraph(
        kind=GraphSource.PROBE,
        source=f"a Triton kernel, with a copy of {folder}",
        note="a probe: it loads the libraries that Triton keeps for all programs, not your model",
    )
    return Workload(job={"kind": "probe", "steps": 5}, graph=graph, places=PlaceMode.COPIED, device="cuda")


def _mentions_gpu(module: Path) -> bool:
    try:
        return "device='cuda" in module.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _root(kind: CacheKind, environ: Mapping[str, str]) -> CacheRoot:
    return next(root for root in cache_roots(environ) if root.kind is kind)
