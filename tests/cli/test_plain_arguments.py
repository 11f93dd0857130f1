"""What is read without argparse is what argparse reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import run_tracelens
from tracelens.cli.commands import read_plain
from tracelens.cli.parser import build_parser
from tracelens.cli.plain_arguments import NotPlainError

PLAIN = [
    ["a.log"],
    ["--format", "json", "a.log"],
    ["a.log", "b.log", "--format=sarif", "-q"],
    ["-", "-o", "-"],
    [],
    ["--rules", "one", "a.log", "--rules=two", "--no-redact", "--yes"],
    ["--max-size", "20G", "-j", "3", "--strict", "--exit-on-failure", "a.log"],
    ["--redact", "--redact", "", "with space"],
]
FOR_ARGPARSE = [
    ["--help"],
    ["--form", "json"],
    ["a.log", "--quiet", "b.log"],
    ["--format", "xml"],
    ["--format"],
    ["--format="],
    ["--quiet=yes"],
    ["--redact", "--no-redact"],
    ["--jobs", "none"],
    ["-j3"],
    ["-qf"],
    ["--", "a.log"],
    ["-o", "-q"],
    ["--no-such"],
    ["-1"],
]
WORDS = st.sampled_from(
    [*dict.fromkeys(word for line in (*PLAIN, *FOR_ARGPARSE) for word in line), "json", "-f", "--artifacts", "--format"]
)


def by_argparse(line):
    return vars(build_parser(line).parse_args(line))


@pytest.mark.parametrize("words", PLAIN)
def test_a_plain_line_is_read_as_argparse_reads_it(words):
    line = ["analyze", *words]
    assert vars(read_plain(line)) == by_argparse(line)


@pytest.mark.parametrize(
    "line", [[], ["--version"], ["doctor"], ["nothing"], *(["analyze", *words] for words in FOR_ARGPARSE)]
)
def test_what_is_not_plain_is_left_to_argparse(line):
    with pytest.raises(NotPlainError):
        read_plain(line)


@given(st.lists(WORDS, max_size=6))
def test_any_line_is_read_as_argparse_reads_it_or_not_at_all(words):
    line = ["analyze", *words]
    try:
        read = vars(read_plain(line))
    except NotPlainError:
        return
    assert read == by_argparse(line)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--help"], "usage: tracelens analyze"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--jobs", "0"], "not a number of jobs: '0'"),
    ],
)
def test_argparse_says_what_is_wrong(words, said):
    run = run_tracelens("analyze", *words)
    assert said in run.output.decode() + run.errors
