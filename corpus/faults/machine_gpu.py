"""Let ``doctor``, ``run`` and ``cache check`` name faults on a machine with an NVIDIA GPU.

The machine has torch and nothing of ours: tracelens and lark lie in a folder that
``PYTHONPATH`` names. ``python3 corpus/faults/machine_gpu.py`` writes ``machine-gpu.json`` to
``$OUT``; put beside ``machine.json`` it becomes part of ``MACHINE.md``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

KERNEL = """
import torch
x = torch.arange(4096.0, device="cuda")
print(torch.compile(lambda x: (x * 2 + 1).relu())(x).sum().item())
"""
SOUND = "none/clean"
#: Settings of the machine that would hide a fault.
FOREIGN = ("TORCH", "TRITON", "CUDA_HOME", "CC", "CXX")


def without_gcc(home: Path) -> dict[str, str]:
    """Return a PATH that has every program but the C compilers."""
    folder = home / "bin"
    folder.mkdir()
    for place in os.environ["PATH"].split(":"):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if not link.is_symlink() and not program.name.startswith(
                ("gcc", "cc", "clang", "c89", "c99", "x86_64-linux-gnu-gcc")
            ):
                link.symlink_to(program)
    return {"PATH": str(folder)}


def cut_kernels(home: Path) -> None:
    """Cut every kernel of Triton's cache in half, and leave nothing that would hide it."""
    for cubin in home.rglob("*.cubin"):
        os.truncate(cubin, cubin.stat().st_size // 2)
    for part in home.glob("torchinductor_*/*"):
        if part.name != "triton":
            shutil.rmtree(part, ignore_errors=True)


class Session:
    """Homes of their own for every case, and what each command said."""

    def __init__(self) -> None:
        """Begin, with nothing said."""
        self.pairs: dict[str, dict[str, Any]] = {}
        self.work = Path(tempfile.mkdtemp(prefix="machine-", dir="/var/tmp"))

    def home(self, name: str) -> tuple[Path, dict[str, str]]:
        """Return an empty home and the environment of a user who has set nothing."""
        home = self.work / name
        home.mkdir()
        own = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
        return home, {**own, "HOME": str(home), "TMPDIR": str(home), "USER": "user"}

    def ask(self, name: str, label: str, tool: str, environ: Mapping[str, str]) -> None:
        """Run one command of tracelens and keep the label that it gave."""
        answer = self.work / "answer.json"
        answer.unlink(missing_ok=True)
        tracelens = [sys.executable, "-m", "tracelens"]
        command = {
            "doctor": [*tracelens, "doctor", "--json", "-o", str(answer), *(("--quick",) if label != SOUND else ())],
            "run": [*tracelens, "run", "--format", "json", "-o", str(answer), "--", sys.executable, "-c", KERNEL],
            "cache check": [*tracelens, "cache", "check", "--json"],
        }[tool]
        started = time.monotonic()
        done = subprocess.run(command, env=dict(environ), capture_output=True, text=True, check=False)
        if tool == "cache check":
            answer.write_text(done.stdout, encoding="utf-8")
        named, proof = said_by(tool, answer)
        pair: dict[str, Any] = {
            "fault": name,
            "tool": tool,
            "label": label,
            "named": named,
            "right": named == label,
            "proof": proof,
        }
        pair |= {"exit_code": done.returncode, "seconds": round(time.monotonic() - started, 1)}
        self.pairs[f"{name}, {tool}"] = pair
        print(f"{name}, {tool}: {named} in {pair['seconds']} s, exit {done.returncode}", flush=True)
        if tool == "doctor" and answer.exists():
            for check in json.loads(answer.read_text(encoding="utf-8"))["checks"]:
                print("   ", check["status"], "|", check["name"], "|", check["detail"][:160])
        if named != label:
            print(done.stderr[-1500:], flush=True)


def said_by(tool: str, file: Path) -> tuple[str | None, str]:
    """Return the label that a command gave, and the line that it rests on."""
    try:
        answer = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None, ""
    if tool != "cache check":
        evidence = [
            item for finding in answer["findings"][:1] for item in finding["evidence"] if item["role"] == "root"
        ]
        return answer["label"], evidence[0]["text"] if evidence else ""
    broken = [item for cache in answer["caches"] for item in (*cache["broken"], *cache["locks"]) if item["problem"]]
    labels = sorted({item["label"] for item in broken}) or [SOUND]
    return " and ".join(labels), f"{broken[0]['path']}: {broken[0]['problem']}" if broken else ""


def main() -> int:
    """Ask about a healthy machine first, then about broken ones."""
    out = Path(os.environ.get("OUT", "."))
    session = Session()
    warm, warm_environ = session.home("warm")
    for tool in ("doctor", "run", "cache check"):
        session.ask("healthy", SOUND, tool, warm_environ)
    home, environ = session.home("no-cc")
    session.ask("gpu-no-cc", "toolchain/cc-missing", "doctor", {**environ, **without_gcc(home)})
    for name, label, settings in (
        ("gpu-cc-false", "toolchain/cc-missing", {"CC": "/bin/false"}),
        ("gpu-no-ptxas", "toolchain/cuda-toolkit-missing", {"TRITON_PTXAS_PATH": "/opt/none/ptxas"}),
        ("gpu-cuda-home-colon", "toolchain/cuda-toolkit-missing", {"CUDA_HOME": ":/usr/local/cuda"}),
    ):
        session.ask(name, label, "doctor", {**session.home(name)[1], **settings})
    cut_kernels(warm)
    for tool in ("doctor", "run", "cache check"):
        session.ask("gpu-kernel-cut", "cache/truncated-artifact", tool, warm_environ)
    import torch

    record = {
        "date": datetime.now(tz=timezone.utc).date().isoformat(),
        "machine": f"torch {torch.__version__}, {torch.cuda.get_device_name(0)}",
        "python": sys.version.split()[0],
        "pairs": session.pairs,
    }
    (out / "machine-gpu.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0 if all(pair["right"] for pair in session.pairs.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
