"""A log is anyone's text: which of the paths that it names are looked at, and which never."""

from __future__ import annotations

import json
import os

import pytest

from tests.command import CORPUS, run_tracelens
from tracelens.artifacts import find_named
from tracelens.errors import InputError

RUN = "torch_compile_debug/run_2026_12_01_02_55_59_226092-pid_4247"
SCRIPT = "# torch version: 2.13.0+cpu\nprint('never run')\n"


@pytest.fixture
def graph(tmp_path):
    """Return the debug folder of one graph."""
    folder = tmp_path.resolve() / RUN / "torchinductor/model__0_inference_0.0"
    folder.mkdir(parents=True)
    (folder / "fx_graph_runnable.py").write_text(SCRIPT)
    return folder


def names(*paths) -> list[str]:
    return [os.path.basename(entry.name) for entry in find_named([str(path) for path in paths], set())]  # noqa: PTH119


def test_debug_folder_of_a_run_is_read(graph):
    assert names(graph) == names(graph / "fx_graph_runnable.py") == ["fx_graph_runnable.py"]


def test_only_files_of_known_names_are_read(graph):
    for name in ("id_rsa", "weights.pt", ".env", "notes.py", "data.pkl"):
        (graph / name).write_text("secret")
    assert names(graph) == ["fx_graph_runnable.py"]


def test_what_is_given_anyway_is_not_read_twice(graph):
    assert list(find_named([str(graph)], {str(graph / "fx_graph_runnable.py")})) == []


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "torch_compile_debug",
        "/torch_compile_debug/run_1",
        f"/{RUN}/../../../../etc/passwd",
        f"/{RUN}\0/x",
        f"/{'a/' * 5000}{RUN}",
        "",
    ],
)
def test_path_that_is_no_debug_folder_is_not_looked_at(path):
    assert names(path) == []


def test_folder_behind_a_link_is_not_looked_at(graph, tmp_path):
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "torch_compile_debug").symlink_to(tmp_path / "torch_compile_debug")
    assert names(other / graph.relative_to(tmp_path.resolve())) == []


def test_links_and_what_is_no_file_are_passed_over(graph, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (graph / "output_code.py").symlink_to(secret)
    (graph / "linked").symlink_to(tmp_path)
    os.mkfifo(graph / "ir_pre_fusion.txt")
    assert names(graph) == ["fx_graph_runnable.py"]


def test_file_that_became_a_link_is_refused(graph, tmp_path):
    (entry,) = find_named([str(graph)], set())
    script = graph / "fx_graph_runnable.py"
    script.unlink()
    script.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError):
        entry.open()


def test_number_of_files_is_bounded(graph):
    for number in range(400):
        folder = graph.parent / f"graph_{number}"
        folder.mkdir()
        (folder / "fx_graph_runnable.py").write_text(SCRIPT)
    assert len(names(graph)) == 256


def test_log_that_names_its_folder_is_judged_with_it(graph, tmp_path):
    (graph / "ir_post_fusion.txt").write_text("op0\n")
    log = tmp_path / "train.log"
    log.write_text(
        "W1201 02:55:59.2 4247 torch/_inductor/debug.py:434] [0/0] model__0_inference_0 debug trace: " + str(graph)
    )
    answer = json.loads(run_tracelens("analyze", "--format", "json", log).output)
    assert answer["environment"]["torch"] == "2.13.0+cpu"
    assert "wrote no output_code.py" in answer["unexplained"]["seen"]
    assert answer["unexplained"]["evidence"][0]["source"] == str(graph / "fx_graph_runnable.py")


def test_corpus_names_no_folder_that_is_here():
    log = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
    assert json.loads(run_tracelens("analyze", "--format", "json", log).output)["timeline"] is None
