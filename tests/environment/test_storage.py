"""Directories that really refuse: full, read-only, noexec, of somebody else."""

from __future__ import annotations

import json
import sys

import pytest

from corpus.faults.room import new_room, why_no_room

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="rooms need Linux"),
    pytest.mark.skipif(why_no_room() is not None, reason=str(why_no_room())),
]
LOOK = """
import json, os
from tests.environment.machines import a_python, labels
from tracelens.environment.roots import cache_roots
from tracelens.environment.storage import look_at_folder, look_at_temporary_folder
from tracelens.record import replace
python = replace(a_python(), environ=dict(os.environ))
checks = [*look_at_folder(cache_roots()[0], python), *look_at_temporary_folder(os.environ)]
print(json.dumps(labels(*checks)))
"""
MAKE = 'mkdir -p "$CACHE"'
STRANGER = "setpriv --reuid=65534 --regid=65534 --clear-groups"


@pytest.mark.parametrize(
    ("inject", "found"),
    [
        ((), None),
        (('on_tmpfs "$CACHE" size=64k',), ["cache/no-space", "TL261"]),
        (('on_tmpfs "$CACHE" size=8m',), ["cache/no-space", "TL261"]),
        (('on_tmpfs "$CACHE" size=100m,nr_inodes=9',), ["cache/no-space", "TL261"]),
        (('on_tmpfs "$CACHE" noexec',), ["cache/noexec-or-readonly", "TL271"]),
        ((MAKE, 'remount "$CACHE" ro'), ["cache/noexec-or-readonly", "TL272"]),
        ((f'{MAKE}/locks; chmod 755 "$CACHE"; BEFORE="{STRANGER}"',), ["cache/permission", "TL251"]),
        ((f'{MAKE}/locks; chmod 777 "$CACHE"; BEFORE="{STRANGER}"',), ["cache/permission", "TL251"]),
        (
            ("remount /tmp ro; remount /var/tmp ro; cd /sys", 'export TORCHINDUCTOR_CACHE_DIR="$HOME"'),
            ["cache/noexec-or-readonly", "TL273"],
        ),
    ],
)
def test_directory_that_refuses_is_named(inject, found, tmp_path, request):
    room = new_room(tmp_path / "room")
    room.write("look", f"import sys\nsys.path.insert(0, {str(request.config.rootpath)!r})\n{LOOK}")
    done = room.run("look", (*inject, "workload"), 60)
    assert done.exit_code == 0, done.log.decode()
    assert json.loads(done.log.splitlines()[-1]) == ([found] if found else [])
