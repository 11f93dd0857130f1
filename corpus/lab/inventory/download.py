"""Fetches the Python files of one release by pip, where somebody asked for it.

Only the named package, in the named version, through pip's own configuration.
Wheels for Arm are taken where they exist: they are the small ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

_PLATFORMS = (
    "manylinux_2_28_aarch64",
    "manylinux2014_aarch64",
    "manylinux_2_28_x86_64",
    "manylinux_2_27_x86_64",
    "manylinux2014_x86_64",
)
_PYTHONS = ("3.12", "3.10")
_KEPT = (".py", ".json", "/METADATA")


def download(package: str, version: str, folder: Path) -> Path:
    """Fetch ``package==version`` into a folder of its own and return that folder.

    Raises:
        FileNotFoundError: pip has no wheel for any platform we ask for.
    """
    target = folder / f"{package}-{version}"
    if (target / package).is_dir():
        return target
    said = ""
    with tempfile.TemporaryDirectory() as scratch:
        for python in _PYTHONS:
            for platform in _PLATFORMS:
                said = _pip_download(f"{package}=={version}", platform, python, scratch)
                wheels = sorted(Path(scratch).glob("*.whl"))
                if wheels:
                    unpack(wheels[0], target)
                    return target
    message = f"pip has no wheel of {package}=={version}: {said.strip().splitlines()[-1:]}"
    raise FileNotFoundError(message)


def unpack(wheel: Path, target: Path) -> None:
    """Take the Python and JSON files out of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.endswith(_KEPT)]
        archive.extractall(target, members)


def _pip_download(requirement: str, platform: str, python: str, folder: str) -> str:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(
        [*command, "--platform", platform, "--python-version", python, "--dest", folder, requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr
