"""Private folders are gone when they are no longer needed, however their files were made."""

from __future__ import annotations

import pytest

from tracelens.verify.private import PrivateFolders


def test_folders_are_removed_even_where_files_refuse(tmp_path):
    with PrivateFolders() as folders:
        root = folders.root
        folder = folders.folder("run") / "closed"
        folder.mkdir()
        (folder / "file").write_text("")
        folder.chmod(0)
        stand_in = folders.stand_in(tmp_path / "not" / "there")
        assert stand_in.parts[-2:] == ("not", "there")
        stand_in.mkdir(parents=True)
    assert not root.exists()
    assert list(tmp_path.iterdir()) == []


def test_what_a_link_leads_to_stays_as_it_is(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("")
    kept.chmod(0o640)
    with PrivateFolders() as folders:
        closed = folders.folder("run") / "closed"
        closed.mkdir()
        (closed / "link").symlink_to(kept)
        closed.chmod(0o500)
    assert not folders.root.exists()
    assert kept.stat().st_mode & 0o777 == 0o640


def test_folders_are_removed_when_the_work_is_interrupted():
    folders = PrivateFolders()
    with pytest.raises(KeyboardInterrupt), folders:
        raise KeyboardInterrupt
    assert not folders.root.exists()
