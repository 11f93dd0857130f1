"""Graphs are found in logs, traces, folders and files of the corpus, with their place and compile id."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.command import CORPUS
from tracelens.events import CompileId
from tracelens.verify.graph import GraphKind, Level, Origin, find_graphs

ARTIFACTS = CORPUS / "artifacts"
LOG = CORPUS / "lab/2.13.0/mlp-artifacts/input.log"


def lines_of(log):
    return log.read_text(encoding="utf-8", errors="replace").splitlines()


def test_printed_graphs_stand_where_the_log_has_them():
    lines = lines_of(LOG)
    found = find_graphs(lines, log_name="train.log")
    assert {graph.kind for graph in found} >= {GraphKind.GRAPH_CODE, GraphKind.AOT_FORWARD}
    for graph in found:
        assert (graph.origin, graph.source) == (Origin.LOG, "train.log")
        assert graph.compile_id == CompileId(frame_id=0, frame_compile_id=0)
        text = graph.text.split("\n")
        assert text[0].startswith("class ")
        assert len(text) == len(graph.lines)
        assert all(lines[number - 1].endswith(line) for line, number in zip(text, graph.lines, strict=True))


def test_ranks_do_not_mix_their_graphs():
    alone = find_graphs(lines_of(LOG))
    mixed = [f"[rank{rank}]: {line}" for line in lines_of(LOG) for rank in (0, 1)]
    found = find_graphs(mixed)
    assert Counter(graph.text for graph in found) == Counter(graph.text for graph in (*alone, *alone))


def test_a_log_cut_off_in_a_graph_still_gives_what_is_there():
    lines = lines_of(LOG)
    start = next(number for number, line in enumerate(lines) if "def forward" in line)
    (graph,) = find_graphs(lines[: start + 3])
    assert "def forward" in graph.text


@pytest.mark.parametrize("release", ["2.5.1", "2.11.0-cuda", "2.13.0"])
def test_every_release_leaves_traces_folders_and_scripts(release):
    found = find_graphs(paths=[ARTIFACTS / release])
    assert {graph.origin for graph in found} >= {Origin.TRACE, Origin.DEBUG_FOLDER, Origin.FILE}
    kinds = {graph.kind for graph in found}
    assert kinds >= {GraphKind.FX_GRAPH_RUNNABLE, GraphKind.MINIFIER_AOT, GraphKind.READABLE, GraphKind.DYNAMO_OUTPUT}
    assert all(graph.compile_id for graph in found if graph.origin is Origin.TRACE)
    assert [graph.position for graph in found] == list(range(len(found)))


def test_a_script_of_dynamo_is_told_from_one_of_aot():
    (dynamo,) = find_graphs(paths=[ARTIFACTS / "2.13.0/minifier-dynamo/minifier_launcher.py"])
    (aot,) = find_graphs(paths=[ARTIFACTS / "2.13.0/minifier-aot/minifier_launcher.py"])
    assert (dynamo.kind, dynamo.level) == (GraphKind.MINIFIER_DYNAMO, Level.DYNAMO)
    assert (aot.kind, aot.level) == (GraphKind.MINIFIER_AOT, Level.ATEN)


def test_scripts_in_a_debug_folder_that_the_log_names_are_found(tmp_path):
    folder = tmp_path / "torch_compile_debug/run_2026_12_01_02_49_44_906246-pid_32109/minifier"
    folder.mkdir(parents=True)
    script = (ARTIFACTS / "2.13.0/minifier-aot/minifier_launcher.py").read_text()
    (folder / "minifier_launcher.py").write_text(script)
    line = f"W1201 02:49:44.906246 1 torch/x.py:1] Writing minified repro to: {folder}/minifier_launcher.py."
    (graph,) = find_graphs([line])
    assert (graph.kind, graph.source) == (GraphKind.MINIFIER_AOT, str(folder / "minifier_launcher.py"))
    assert graph.text == script
    assert len(find_graphs([line], [tmp_path])) == 1
    elsewhere = line.replace(str(folder), str(tmp_path))
    assert find_graphs([elsewhere]) == ()


def test_what_the_minifier_made_is_a_script_of_the_minifier(tmp_path):
    (tmp_path / "repro.py").write_text((ARTIFACTS / "2.13.0/minifier-aot/minifier_launcher.py").read_text())
    (graph,) = find_graphs(paths=[tmp_path])
    assert graph.kind is GraphKind.MINIFIER_AOT


def test_paths_that_cannot_be_read_are_passed_over(tmp_path):
    (tmp_path / "minifier_launcher.py").symlink_to("/etc/passwd")
    (tmp_path / "other.py").write_text((ARTIFACTS / "2.13.0/minifier-aot/minifier_launcher.py").read_text())
    (tmp_path / "fx_graph_runnable.py").write_bytes(b"\xff\x00class Repro(")
    found = find_graphs(paths=[tmp_path, tmp_path / "missing"])
    assert [graph.source for graph in found] == []


def test_a_graph_with_a_broken_header_is_found_without_its_compile_id(tmp_path):
    (trace,) = (ARTIFACTS / "2.13.0/torch-trace-failed").iterdir()
    text = trace.read_text(encoding="utf-8")
    whole = find_graphs(paths=[trace])
    broken = tmp_path / trace.name
    broken.write_text(text.replace('{"aot_inference_graph": {}', '{"aot_inference_graph": {'), encoding="utf-8")
    found = find_graphs(paths=[broken])
    assert [graph.text for graph in found] == [graph.text for graph in whole]
    assert {graph.kind for graph in found if graph.compile_id is None} == {GraphKind.AOT_INFERENCE}
