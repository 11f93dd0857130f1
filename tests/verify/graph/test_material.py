"""The command that writes real graphs and counts what is read of them tells the truth about a few."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest

from tests.command import run_command

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch")


def test_graphs_of_real_programs_are_equal_to_their_text(tmp_path):
    programs = ["mutation", "joined_batches", "nested_branch", "own_operator"]
    command = [sys.executable, "-W", "ignore", "-m", "corpus.graphs", tmp_path / "graphs", "--only", *programs]
    run = run_command(*command, timeout=300)
    assert run.code == 0, run.errors
    table = run.output.decode()
    header, *rows = [line.split() for line in table.splitlines() if line.endswith((" %", "rebuilt"))]
    outcomes = header[1:-1]
    counts = [dict(zip(outcomes, map(int, row[-len(outcomes) - 2 : -2]), strict=True)) for row in rows]
    assert counts
    assert all(row["differs"] == row["failed"] == row["died"] == 0 for row in counts)
    assert sum(row["equal"] for row in counts) > 20
    assert re.findall(r"refused +(\w+): (.*?)  ", table) == [
        ("operator", "operator torch.ops.tracelens_material.triple.default of another library"),
        ("subgraph", "self.true_graph_0 without the body of the inner graph"),
    ]
