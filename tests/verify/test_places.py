"""A run writes where the user's program would, each cache in a place of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracelens.environment.roots import CacheKind, cache_roots
from tracelens.verify.places import PlaceMode, Places
from tracelens.verify.private import PrivateFolders


@pytest.mark.parametrize("mode", list(PlaceMode))
@pytest.mark.parametrize("moved", [True, False])
def test_caches_are_where_the_variables_of_a_run_lead(mode, moved, tmp_path):
    user = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "USER": "u"}
    if moved:
        names = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "VLLM_CACHE_ROOT")
        user |= {name: str(tmp_path / name) for name in names}
    kinds = set()
    with PrivateFolders() as folders:
        places = Places(mode, user, folders, folders.folder("run"))
        ours = {root.kind: root.path for root in reversed(cache_roots(user | places.variables))}
        for root in cache_roots(user):
            private = places.private(root.path)
            if root.kind not in kinds and not (root.kind is CacheKind.TRITON and not moved):
                kinds.add(root.kind)
                assert private == ours[root.kind]
                assert Path(user["HOME"]) not in private.parents or mode is PlaceMode.PLACED
