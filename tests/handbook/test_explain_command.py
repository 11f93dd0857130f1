"""``tracelens explain``, run as a user runs it."""

from __future__ import annotations

import json

import pytest

from tests.command import run_tracelens


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("TL204", "A metadata file in the cache is broken"),
        ("cache/truncated-artifact", "TL204"),
        ("reduce-overhead", "triton.cudagraphs"),
        ("dynamic-shapes", "dynamic-shapes/recompile-limit"),
    ],
)
def test_each_kind_of_topic_is_explained(topic, said):
    run = run_tracelens("explain", topic)
    assert (run.code, run.errors) == (0, "")
    assert said in run.output.decode()


def test_json_is_one_object():
    run = run_tracelens("explain", "TL204", "--format", "json")
    assert json.loads(run.output)["rule"]["code"] == "TL204"


def test_an_unknown_topic_is_refused_with_the_nearest_ones():
    run = run_tracelens("explain", "metadata-trunkated\x1b[2J")
    assert run.code == 2
    assert "did you mean metadata-truncated" in run.errors
    assert "\x1b" not in run.errors


def test_a_folder_of_rules_is_known_too(tmp_path):
    (tmp_path / "broken.yml").write_text("a: [b")
    run = run_tracelens("explain", "TL204", "--rules", tmp_path)
    assert run.code == 2
    assert "broken.yml:" in run.errors
