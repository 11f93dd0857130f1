"""The documents tell the truth about what is there."""

from __future__ import annotations

import argparse
import os
import re
import shlex

import pytest

from tests.command import REPOSITORY, run_tracelens
from tracelens.cli.parser import build_parser

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHANGELOG = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
MAKEFILE = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
#: Every command, so that each has described its options.
PARSER = build_parser()
DOCUMENTS = {"README.md": README, "CONTRIBUTING.md": CONTRIBUTING, "CHANGELOG.md": CHANGELOG}


def parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return a parser and those of all its commands."""
    found = [parser]
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - the same
            found += [each for command in action.choices.values() for each in parsers(command)]
    return found


def options() -> list[tuple[str, argparse.Action]]:
    """Return every option and argument, with the command it belongs to."""
    return [
        (f"{parser.prog} {'/'.join(action.option_strings) or action.dest}", action)
        for parser in parsers(PARSER)
        for action in parser._actions  # noqa: SLF001 - argparse has no public list
        if not isinstance(action, argparse._SubParsersAction)  # noqa: SLF001 - the same
    ]


@pytest.mark.parametrize("action", [action for _, action in options()], ids=[name for name, _ in options()])
def test_option_says_what_it_does(action):
    assert action.help
    assert action.help is not argparse.SUPPRESS


@pytest.mark.parametrize("parser", parsers(PARSER), ids=lambda parser: parser.prog)
def test_help_fits_eighty_columns(parser, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(len(line) for line in parser.format_help().splitlines()) <= 80


def test_help_has_examples():
    assert "examples:\n" in PARSER.format_help()


def commands_in(text: str) -> list[str]:
    """Return the ``tracelens`` commands in the indented lines of a document."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines() if line.startswith("    "))
    return [part.strip() for line in lines for part in line.split("|") if part.strip().startswith("tracelens ")]


@pytest.mark.parametrize("command", sorted({each for text in DOCUMENTS.values() for each in commands_in(text)}))
def test_command_in_a_document_is_understood(command):
    assert PARSER.parse_args(shlex.split(command)[1:]).command


@pytest.mark.parametrize(
    "command", re.findall(r"^  (?:.*\| )?(tracelens .*?)(?: \|.*)?$", PARSER.epilog or "", re.MULTILINE)
)
def test_command_in_the_examples_is_understood(command):
    assert PARSER.parse_args(shlex.split(command)[1:]).command


def test_readme_shows_what_the_demo_prints(request, tmp_path):
    demo = re.search(r"^DEMO := (.*)$", MAKEFILE, re.MULTILINE)
    assert demo is not None
    plain = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    printed = run_tracelens("analyze", demo[1], env=plain).output.decode()
    block = re.compile(r"(?<=```text\n).*?(?=```)", re.DOTALL)
    readme = REPOSITORY / "README.md"
    if request.config.getoption("--update-golden"):
        readme.write_text(block.sub(lambda _: printed, README), encoding="utf-8")
    assert block.findall(readme.read_text(encoding="utf-8")) == [printed]


def make_targets_in(text: str) -> set[str]:
    """Return the targets of ``make`` in the code of a document."""
    code = [*re.findall(r"`make ([^`]+)`", text), *re.findall(r"^    make ([^#\n]+)", text, re.MULTILINE)]
    return {word for part in code for word in shlex.split(part) if "=" not in word}


@pytest.mark.parametrize("target", sorted({each for text in DOCUMENTS.values() for each in make_targets_in(text)}))
def test_make_target_in_a_document_exists(target):
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_link_to_a_file_leads_somewhere(name):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", DOCUMENTS[name])
    assert [link for link in links if not (REPOSITORY / link).exists()] == []


def test_layout_map_names_every_part_of_the_package_and_nothing_else():
    rows = re.findall(r"^\| (`.*?`) \|", CONTRIBUTING, re.MULTILINE)
    named = {path for row in rows for path in re.findall(r"`([^`]+)`", row)}
    paths = {path if "/" in path or (REPOSITORY / path).exists() else f"tracelens/{path}" for path in named}
    assert {path for path in paths if not (REPOSITORY / path).exists()} == set()
    parts = {
        f"tracelens/{part.name}" + ("/" if part.is_dir() else "")
        for part in (REPOSITORY / "tracelens").iterdir()
        if not part.name.startswith(("_", ".")) and part.name != "py.typed"
    }
    assert parts - paths == set()


def test_changelog_keeps_the_form():
    assert "## [Unreleased]" in CHANGELOG
    headings = set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE))
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Rules"}
