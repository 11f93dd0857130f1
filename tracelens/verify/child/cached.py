"""Load and call a module that Inductor left in the user's cache, from a private copy of it.

The module is Inductor's own output for the graph that failed, so its kernels are
looked up under the very names that the log shows. It comes from the user's cache
only, where torch itself would run it; never from a file that came with a report.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .compare import compare, tensors_in
from .measure import timed
from .result import Reached, Result


def run(job: dict[str, Any], result: Result) -> None:
    """Run the module ``<xy>/<key>.py`` of the cache that the environment names.

    The eager entry is the reference: it takes a whole source of the module out of
    ``origin``, a copy of the user's cache, leaves it in ``spare``, runs it in a cache
    that is empty, and leaves its outputs in ``reference``. A later run whose fix
    removed the module gets it back from there, as a compilation would write it.
    """
    import torch

    fresh = _leave_cache_if_told_to()
    path = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]) / job["module"]
    spare, reference = Path(job["spare"]), Path(job["reference"])
    is_reference = job["entry"] == "eager"
    result.reach(Reached.FIND)
    if is_reference:
        source = next((text for text in _sources(Path(job["origin"]), job["module"]) if _key(text) == path.stem), None)
        if source is None:
            result.reach(Reached.NO_MODULE)
            return
        spare.write_text(source, encoding="utf-8")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(spare, path)
    result.reach(Reached.COMPILE)
    on_gpu = job["device"].startswith("cuda")
    before = _kernels() if on_gpu else set()
    if on_gpu:
        _set_up_triton(as_worker=job.get("as_worker", False))
    outputs, seconds = timed(lambda: _outputs(path), job["device"])
    result.facts["compile_s"] = round(seconds, 3)
    result.facts["kernels_made"] = len(_kernels() - before) if on_gpu else 0
    result.reach(Reached.COMPARE)
    tensors = [value.cpu() for value in outputs if isinstance(value, torch.Tensor)]
    if is_reference:
        torch.save(tensors, reference)
    else:
        compare(torch.load(reference, weights_only=True), tensors, None, result)
    if fresh is not None:
        fresh.close()


def _leave_cache_if_told_to() -> Any:  # noqa: ANN401 - what keeps the folder alive
    """Do as Inductor does when caches are forbidden: work in a new folder, as long as what is returned is kept."""
    from torch._inductor import config, utils

    if not getattr(config, "force_disable_caches", False):
        return None
    stack = contextlib.ExitStack()
    fresh = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache  # its name before torch 2.8
    stack.enter_context(fresh())
    return stack


def _set_up_triton(*, as_worker: bool) -> None:
    """Have Triton ask for the version of the same ptxas as it did when it named the entries of its cache.

    That version is part of every name, and is asked for once in a process. Where the
    graph is compiled, Inductor has it asked for before it names the ptxas that torch
    brings along; in a worker process, after that.
    """
    if not as_worker:
        from torch.utils import _triton

        getattr(_triton, "triton_hash_with_backend", lambda: None)()
    try:
        tasks = importlib.import_module("torch._inductor.runtime.compile_tasks")
    except ImportError:  # before torch 2.4
        return
    for name in ("_set_triton_ptxas_path", "_set_triton_libdevice_path"):
        getattr(tasks, name, lambda: None)()


def _kernels() -> set[str]:
    """Return the names of the entries in Triton's caches, wherever this process has them."""
    places = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TRITON_HOME")
    roots = {os.environ[place] for place in places if os.environ.get(place)}
    return {group.parent.name for root in roots for group in Path(root).rglob("__grp__*")}


def _outputs(path: Path) -> list[Any]:
    """Import the module as torch does, and call it once with inputs of its own making."""
    import torch
    from torch._inductor import utils
    from torch._inductor.codecache import PyCodeCache

    module: Any = PyCodeCache.load_by_key_path(path.stem, str(path))
    kept: list[Any] = []

    def call_once(function: Any, *_arguments: object, **_settings: object) -> float:  # noqa: ANN401 - a call without arguments
        kept.append(function())
        return 0.0

    # Every release has the module look this function up when it is to be timed, and hands it the call.
    utils.print_performance = call_once
    torch.manual_seed(0)
    # Modules of newer releases are handed their inputs, older ones make them.
    inputs = [module.get_args()] if hasattr(module, "get_args") else []
    with torch.no_grad():
        module.benchmark_compiled_module(*inputs, times=1, repeat=1)
    return tensors_in(kept)


def _key(source: str) -> str:
    """Return the name under which torch would keep this source."""
    from torch._inductor import codecache

    return str(codecache.get_path(codecache.code_hash(source.strip()), "py")[0])


def _sources(cache: Path, module: str) -> Iterator[str]:
    """Return what may be the source of the module: the file itself, and the entries of the graph cache."""
    file = cache / module
    if file.exists():
        yield file.read_text(encoding="utf-8", errors="replace")
    with contextlib.suppress(ImportError):  # before torch 2.6, where entries need nothing that is not imported
        importlib.import_module("torch._inductor.output_code")
    for entry_file in sorted((cache / "fxgraph").rglob("*")):
        if not entry_file.is_file():
            continue
        try:
            entry = pickle.loads(entry_file.read_bytes())  # noqa: S301 - the user's own cache, as torch reads it
        except Exception:  # noqa: BLE001, S112 - a broken entry is no source
            continue
        source = getattr(entry, "source_code", None)
        if isinstance(source, str):
            yield source
