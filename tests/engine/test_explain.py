from __future__ import annotations

from pathlib import Path

import pytest

from tracelens.engine.explain import main

MESSAGE = "InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')"
LOG = f"""\
[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/u/train.py", line 3, in <module>
[rank0]:     step(x)
[rank0]: torch._inductor.exc.InductorError: {MESSAGE}
"""


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "a.log"
    path.write_text(LOG)
    return str(path)


def test_it_shows_matches_ranking_and_failures(log, capsys):
    assert main([log]) == 0
    shown = capsys.readouterr().out
    assert "  1. TL101-" in shown
    assert "toolchain/cxx-missing fatal cause" in shown
    assert "[rank 0]" in shown
    assert "unexplained: nothing" in shown
    assert "platforms: linux" in shown


def test_it_shows_events(log, capsys):
    main([log, "--events"])
    assert "ExceptionChain" in capsys.readouterr().out


def test_what_failed_without_a_rule_is_shown(tmp_path, capsys):
    path = tmp_path / "b.log"
    path.write_bytes(b"Segmentation fault (core dumped)\n\xff")
    main([str(path)])
    shown = capsys.readouterr().out
    assert "failure 0 at 1: Segmentation fault" in shown
