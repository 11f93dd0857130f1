"""``python -m corpus.lab.inventory``: how a release is taken in."""

from __future__ import annotations

import sys
import zipfile

import pytest

from corpus.lab.inventory.download import download
from corpus.lab.inventory.releases import find_releases, installed
from tests.command import run_command
from tests.inventory.release_on_disk import make_release

UNKNOWN = 'def f():\n    raise RuntimeError("the moon is full")\n'
KNOWN = 'def verify_ninja_availability():\n    raise RuntimeError("Ninja is required to load C++ extensions")\n'


def inventory(*arguments):
    return run_command(sys.executable, "-m", "corpus.lab.inventory", *arguments)


def test_unmapped_message_is_named_with_its_text_and_fails(tmp_path):
    make_release(tmp_path, {"_inductor/codecache.py": UNKNOWN}, version="9.9.0")
    run = inventory(tmp_path, "--no-judge")
    assert run.code == 1
    assert "unmapped: torch/_inductor/codecache f RuntimeError" in run.output.decode()
    assert "the moon is full" in run.output.decode()
    assert "torch 9.9.0" in run.output.decode()


def test_release_whose_messages_are_all_known_passes(tmp_path):
    make_release(tmp_path, {"utils/cpp_extension.py": KNOWN}, version="2.0.0")
    run = inventory(tmp_path)
    assert run.code == 0, run.output.decode()
    row = next(line for line in run.output.decode().splitlines() if line.startswith("torch 2.0.0"))
    assert row.split()[2:4] == ["1", "100.0%"]


def test_message_that_is_answered_otherwise_is_shown_with_both_opinions(tmp_path):
    source = 'def wait():\n    warnings.warn("Waited on lock file for long; but who knows")\n'
    make_release(tmp_path, {"utils/file_baton.py": source})
    run = inventory(tmp_path)
    assert run.code == 1
    assert "disagreed: torch/utils/file_baton wait UserWarning" in run.output.decode()
    assert "map: cache/stale-lock" in run.output.decode()


@pytest.mark.parametrize("argument", ["nothing-here", "torch==2.0.0"])
def test_argument_without_a_release_says_so(argument):
    run = inventory(argument)
    assert run.code == 1
    assert argument in run.errors


def test_version_is_read_without_importing(tmp_path):
    make_release(tmp_path, {}, version="2.9.1")
    triton = tmp_path / "other"
    (triton / "triton").mkdir(parents=True)
    (triton / "triton" / "__init__.py").write_text('"""x"""\n__version__ = "3.4.0"\n', encoding="utf-8")
    assert [each.name for each in find_releases(str(tmp_path))] == ["torch 2.9.1"]
    assert [each.name for each in find_releases(str(triton / "triton"))] == ["triton 3.4.0"]


def test_package_that_is_not_installed_is_none():
    assert installed("no-such-package-anywhere") is None


def test_wheel_is_fetched_by_pip_and_only_its_sources_kept(tmp_path, monkeypatch):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "torch-1.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("torch/__init__.py", "__version__ = '1.0.0'\n")
        wheel.writestr("torch/lib/libtorch.so", "\x7fELF")
        wheel.writestr("torch-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 1.0.0\n")
        wheel.writestr("torch-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("torch-1.0.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    folder = download("torch", "1.0.0", tmp_path / "unpacked")
    assert [each.name for each in find_releases(str(folder))] == ["torch 1.0.0"]
    assert not list(folder.rglob("*.so"))
    assert download("torch", "1.0.0", tmp_path / "unpacked") == folder


def test_version_that_pip_does_not_have_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr("corpus.lab.inventory.download._PLATFORMS", ("manylinux2014_x86_64",))
    monkeypatch.setattr("corpus.lab.inventory.download._PYTHONS", ("3.12",))
    with pytest.raises(FileNotFoundError, match=r"torch==1\.0\.9"):
        download("torch", "1.0.9", tmp_path)
