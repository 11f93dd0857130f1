"""A broken file of a cache is met under the settings of the user, and precompiled headers are made once."""

from __future__ import annotations

import pytest

from tests.command import CORPUS
from tracelens.api import analyze_text
from tracelens.verification import GraphSource, VerifiedGraph
from tracelens.verify.applied import Applied
from tracelens.verify.options import VerifyOptions
from tracelens.verify.places import PlaceMode
from tracelens.verify.private import PrivateFolders
from tracelens.verify.runner import Runner
from tracelens.verify.workload import Workload, choose_workload

CUT = (CORPUS / "lab/2.13.0/so-zero/input.log").read_text(encoding="utf-8")
KEY = "c63ldsecvuegvry6muinbspkxzc7qvwxcrolat27vuafl5h5l4pl"
#: Stands for a Python that compiles: it tells which headers it found, and makes one.
COMPILES = """#!/bin/sh
cat "$TMPDIR"/*/precompiled_headers/* 2> /dev/null || echo none
mkdir -p "$TMPDIR/torchinductor_u/precompiled_headers"
echo ready > "$TMPDIR/torchinductor_u/precompiled_headers/$$.gch"
exit {code}
"""


def test_headers_are_as_the_user_has_them_for_they_are_part_of_the_names_of_kernels(tmp_path):
    (tmp_path / "63").mkdir()
    (tmp_path / "63" / f"{KEY}.py").write_text("")
    environ = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path), "HOME": str(tmp_path)}
    workload = choose_workload(analyze_text(CUT), "train.log", CUT, environ)
    assert isinstance(workload, Workload)
    assert workload.places is PlaceMode.COPIED
    assert "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS" in workload.unpinned


@pytest.mark.parametrize(
    ("places", "code", "seen"),
    [(PlaceMode.COPIED, 0, "ready"), (PlaceMode.COPIED, 1, "none"), (PlaceMode.FRESH, 0, "none")],
)
def test_headers_of_a_run_that_ended_well_are_lent_to_the_next(places, code, seen, tmp_path):
    python = tmp_path / "python"
    python.write_text(COMPILES.format(code=code))
    python.chmod(0o755)
    workload = Workload(job={"kind": "cached"}, graph=VerifiedGraph(kind=GraphSource.EXACT), places=places)
    applied = Applied(environ={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "USER": "u"})
    with PrivateFolders() as folders:
        runner = Runner(workload, "cache/truncated-artifact", VerifyOptions(python=str(python)), folders)
        first, second = (runner.run(applied, entry="compile") for _ in range(2))
    assert (first.log.split(), second.log.split()[:1]) == (["none"], [seen])
