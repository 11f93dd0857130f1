"""Every page of the handbook is whole, true and harmless in every format."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.corpus_cases import our_rules
from tests.ruleset.rule_text import SOUND
from tracelens.handbook.as_json import render_topic_json
from tracelens.handbook.as_lines import lay_out_topic
from tracelens.handbook.as_markdown import render_topic_markdown
from tracelens.handbook.finding import find_topic
from tracelens.handbook.labels import CAUSES
from tracelens.handbook.modes import MODES
from tracelens.handbook.topic import BlockKind, Topic, TopicKind
from tracelens.report.as_plain import render_plain
from tracelens.report.layout import ASCII, Layout
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.load import bundled_taxonomy, load_labels
from tracelens.ruleset.spelling import spell_rule

CODES = [entry.code for entry in our_rules().entries]
NAMES = [*CODES, *load_labels(bundled_taxonomy()), *CAUSES, *(mode.name for mode in MODES)]


@cache
def page(name: str) -> Topic:
    return find_topic(name, our_rules())


def headings(topic: Topic) -> list[str]:
    return [section.heading for section in topic.sections]


@pytest.mark.parametrize("code", CODES)
def test_page_of_a_rule_says_everything_that_its_file_says(code):
    topic = page(code)
    rule = topic.rule
    assert rule is not None
    assert {"What it means", "How it looks", "How it arises", "References"} <= set(headings(topic))
    assert ("What fixes it" in headings(topic)) is bool(rule.fixes)
    assert ("What does not help" in headings(topic)) is bool(rule.not_helpful)
    assert ("How to verify" in headings(topic)) is (not rule.label.startswith("none/"))
    shown = render_topic_json(topic)
    for fix in rule.fixes:
        assert (fix.proven or "unproven") in shown


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layout", [Layout(width=80), Layout(width=40, symbols=ASCII)], ids=["80", "40"])
def test_page_fits_the_terminal_but_for_what_is_there_to_be_copied(name, layout):
    topic = page(name)
    whole = {
        line.strip()
        for section in topic.sections
        for block in section.blocks
        if block.kind in (BlockKind.COMMAND, BlockKind.LINK)
        for line in block.text.split("\n")
    }
    for line in render_plain(lay_out_topic(topic, layout)).splitlines():
        assert len(line) <= layout.width or line.strip().partition("   # ")[0] in whole


@pytest.mark.parametrize("name", NAMES)
def test_page_is_the_same_in_json_and_whole_in_markdown(name):
    topic = page(name)
    data = json.loads(render_topic_json(topic))
    assert (data["kind"], data["name"]) == (topic.kind.value, topic.name)
    assert [section["heading"] for section in data["sections"]] == headings(topic)
    assert data["rule"] == (json.loads(json.dumps(spell_rule(topic.rule))) if topic.rule else None)
    markdown = render_topic_markdown(topic)
    assert re.findall(r"^## (.*)$", markdown, re.MULTILINE) == headings(topic)


@pytest.mark.parametrize("name", NAMES)
def test_codes_that_a_page_sends_the_reader_to_exist(name):
    sent = re.findall(r"tracelens explain ([A-Z]{2}\d+)", render_topic_json(page(name)))
    assert set(sent) <= set(CODES)


@pytest.mark.parametrize("name", ["TL204", "tl204", "metadata-truncated", "TL204-metadata-truncated"])
def test_a_rule_is_found_by_its_code_and_by_its_name(name):
    assert page(name).name == "TL204"


def test_without_a_name_everything_is_named():
    topic = find_topic(None, our_rules())
    assert topic.kind is TopicKind.OVERVIEW
    shown = render_plain(lay_out_topic(topic, Layout()))
    for name in (*CAUSES, *(mode.name for mode in MODES)):
        assert name in shown


def test_modes_set_what_torch_says_that_they_set():
    found = importlib.util.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        pytest.skip("torch is not installed here")
    source = Path(found.submodule_search_locations[0], "_inductor", "__init__.py").read_text(encoding="utf-8")
    (function,) = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == "list_mode_options"
    ]
    (options,) = [node for node in ast.walk(function) if isinstance(node, ast.Dict) and len(node.keys) > 3]
    settings = {
        ast.literal_eval(key): set(ast.literal_eval(value))
        for key, value in zip(options.keys, options.values, strict=True)
        if key is not None and isinstance(value, ast.Dict)
    }
    assert {mode.name: set(mode.settings) for mode in MODES} == settings


HOSTILE = (
    SOUND.replace("TL101", "XX101")
    .replace("title: No C++ compiler", r'title: "\e[2J##[error]x @someone <script> #12 `a`"')
    .replace("explanation: ", r'explanation: "\u202E::error::" # ')
    + "examples:\n  positive:\n    - |-\n      InvalidCxxCompiler: ````` \n      ::set-output name=a::b\n"
)


@pytest.fixture
def hostile(tmp_path: Path) -> Topic:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "XX101-cxx-missing.yml").write_text(HOSTILE.replace("name: cxx-missing", "name: cxx-missing-x"))
    (folder / "XX101-cxx-missing.yml").rename(folder / "XX101-cxx-missing-x.yml")
    return find_topic("XX101", load_ruleset([folder]))


def test_nothing_in_a_foreign_rule_acts(hostile):
    for shown in (render_plain(lay_out_topic(hostile, Layout())), render_topic_markdown(hostile)):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "##[" not in shown
        assert not re.search(r"^\s*::", shown, re.MULTILINE)
    assert "\x1b" not in render_topic_json(hostile)
    assert "##" not in render_topic_json(hostile)


def test_markdown_of_a_foreign_rule_mentions_nobody_and_closes_its_fences(hostile):
    markdown = render_topic_markdown(hostile)
    assert "@someone" not in markdown
    assert "#12" not in markdown
    assert "<script>" not in markdown
    assert "``````text\n" in markdown
