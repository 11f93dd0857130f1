"""One run: places and variables of its own, a child in them, and everything cleared away behind it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from tracelens.verify.applied import Applied
from tracelens.verify.child.result import Reached
from tracelens.verify.child_process import ChildRun, run_bounded, run_child
from tracelens.verify.options import VerifyOptions
from tracelens.verify.places import PlaceMode, Places
from tracelens.verify.private import PrivateFolders, remove_tree
from tracelens.verify.surroundings import child_environment
from tracelens.verify.workload import Workload

_CACHE = "TORCHINDUCTOR_CACHE_DIR"
_PRECOMPILED = "precompiled_headers"


class Runner:
    """Runs one workload again and again; use it while the private folders exist."""

    def __init__(self, workload: Workload, expected: str, options: VerifyOptions, folders: PrivateFolders) -> None:
        """Prepare; ``expected`` is the label of the failure that is looked for."""
        self._workload = workload
        self._expected = expected
        self._options = options
        self._folders = folders
        self._seeds = folders.root / "seeds"
        self._headers = folders.root / "headers"

    def run(self, applied: Applied, *, entry: str, cache: Path | None = None, kept: Path | None = None) -> ChildRun:
        """Do one run; ``cache`` is what its Inductor cache begins with, ``kept`` where that goes afterwards."""
        workload, folder = self._workload, self._folders.folder("run")
        places = Places(
            PlaceMode.FRESH if entry == "eager" else workload.places, applied.environ, self._folders, folder
        )
        for operation in applied.operations:
            operation(places)
        environ = self._environment(applied, places)
        inductor = Path(environ[_CACHE])
        if cache is not None:
            shutil.copytree(cache, inductor, dirs_exist_ok=True)
        if workload.script:
            run = self._run_script(environ | ({"TORCH_COMPILE_DISABLE": "1"} if entry == "eager" else {}))
        else:
            job = self._job(applied, places, folder, entry)
            self._sow(job, inductor)
            self._lend_headers(Path(environ["TMPDIR"]))
            run = run_child(self._options.python, job, environ, folder, self._options.seconds)
            self._reap(run, inductor)
            self._keep_headers(run, Path(environ["TMPDIR"]))
        if kept is not None:
            shutil.copytree(inductor, kept)
        remove_tree(folder)
        return run

    def _environment(self, applied: Applied, places: Places) -> dict[str, str]:
        if self._workload.script:
            # The user's program as it is: only what is compiled goes elsewhere.
            names = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TORCH_EXTENSIONS_DIR")
            caches = {name: value for name, value in places.variables.items() if name in names}
            return applied.environ | caches
        kept = applied.changed | ({"LD_PRELOAD"} if self._expected.startswith("abi/") else set())
        environ = child_environment(applied.environ, frozenset(kept), unpinned=self._workload.unpinned)
        if self._workload.places is PlaceMode.COPIED:
            # A cut library kills the process; so it says where.
            environ["PYTHONFAULTHANDLER"] = "1"
        return environ | places.variables

    def _run_script(self, environ: dict[str, str]) -> ChildRun:
        """Run the user's program where the user stands."""
        command = [self._options.python, *self._workload.script]
        log, exit_code, seconds = run_bounded(command, environ, Path.cwd(), self._options.seconds)
        return ChildRun(exit_code=exit_code, seconds=seconds, log=log, facts={"stage": Reached.DONE.value})

    def _job(self, applied: Applied, places: Places, folder: Path, entry: str) -> dict[str, Any]:
        workload = self._workload
        job = {
            **workload.job,
            "entry": entry,
            "device": self._options.device or workload.device,
            "memory": self._options.memory,
            "cpu_seconds": int(self._options.seconds * (os.cpu_count() or 1)),
            "settings": applied.settings or {},
            "remedy": applied.remedy,
        }
        if workload.job["kind"] == "cached":
            job["reference"] = str(self._folders.root / "reference.pt")
            job["spare"] = str(self._folders.root / "module.py")
            if entry == "eager":
                origin = Places(PlaceMode.COPIED, applied.environ, self._folders, self._folders.folder("origin"))
                job["origin"] = origin.variables[_CACHE]
        if workload.lock_folder is not None and entry != "eager":
            job["folder"] = str(places.private(workload.lock_folder) or folder)
        return job

    def _sow(self, job: dict[str, Any], cache: Path) -> None:
        """Put into a new cache what Inductor knows of the processor, so that no run has to find it out again."""
        if job.get("seeding") and self._seeds.is_dir():
            with suppress(OSError, shutil.Error):
                shutil.copytree(self._seeds, cache, dirs_exist_ok=True)

    def _reap(self, run: ChildRun, cache: Path) -> None:
        for name in run.facts.get("seeds", ()):
            source, target = cache / name, self._seeds / name
            if ".." in Path(name).parts or target.exists() or not source.is_file():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):
                shutil.copyfile(source, target)

    def _lend_headers(self, temporary: Path) -> None:
        """Put the precompiled headers of an earlier run where torch looks for them, whatever its cache is."""
        if self._headers.is_dir():
            with suppress(OSError, shutil.Error):
                shutil.copytree(self._headers, temporary, copy_function=os.link, dirs_exist_ok=True)

    def _keep_headers(self, run: ChildRun, temporary: Path) -> None:
        """Keep precompiled headers: they take longer than the run, and are no fault of a cached file."""
        made = next(temporary.glob(f"*/{_PRECOMPILED}"), None)
        if self._workload.places is not PlaceMode.COPIED or run.exit_code != 0 or made is None:
            return
        if not self._headers.exists():
            with suppress(OSError):
                target = self._headers / made.parent.name
                target.mkdir(parents=True)
                made.rename(target / _PRECOMPILED)
