from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.errors import RuleProblem
from tracelens.ruleset.nodes import MAX_BYTES, MAX_DEPTH, MAX_NODES, Mapping, Scalar, Sequence, parse_nodes


def problem_of(content: bytes) -> RuleProblem:
    result = parse_nodes(content, file="a.yml")
    assert isinstance(result, RuleProblem)
    assert result.file == "a.yml"
    return result


def test_nodes_know_their_lines_and_whether_they_were_quoted():
    assert parse_nodes(b"a: x\nb:\n  - 'y'\n  - |\n    z\n", file="a.yml") == Mapping(
        line=1,
        entries=(
            (Scalar(line=1, text="a", quoted=False), Scalar(line=1, text="x", quoted=False)),
            (
                Scalar(line=2, text="b", quoted=False),
                Sequence(
                    line=3, items=(Scalar(line=3, text="y", quoted=True), Scalar(line=4, text="z\n", quoted=True))
                ),
            ),
        ),
    )


def test_a_repeated_key_is_kept_for_the_reader_to_refuse():
    document = parse_nodes(b"a: 1\na: 2\n", file="a.yml")
    assert isinstance(document, Mapping)
    assert [key.text for key, _ in document.entries] == ["a", "a"]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"a: &x 1\nb: 2\n", 1, "anchors are not allowed"),
        (b"a: 1\nb: *x\n", 2, "alias"),
        (b"a: 1\nb: !!python/object:os.system 2\n", 2, "the tag"),
        (b"a: 1\n---\nb: 2\n", 1, "exactly one YAML document"),
        (b"", 1, "exactly one YAML document"),
        (b"a: [1\n", 2, "not YAML"),
        (b"a: 1\n\tb: 2\n", 2, "not YAML"),
        (b"a: 1\nb: \x01\n", 1, "not YAML"),
        (b"a: 1\nb: \xff\n", 2, "not UTF-8"),
        (b"? [1, 2]\n: 3\n", 1, "a key is a plain word"),
        (b"#" * (MAX_BYTES + 1), 1, "larger than"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), 1, "nested more than"),
        (b"[" + b"1," * MAX_NODES + b"]", 1, "more than"),
    ],
)
def test_what_no_rule_needs_is_refused_at_its_line(content, line, problem):
    found = problem_of(content)
    assert found.line == line
    assert problem in found.problem


def test_a_billion_laughs_are_refused_before_anything_grows():
    bomb = b"a: &a [x, x]\n" + b"".join(b"k%d: &k%d [*a, *a]\n" % (number, number) for number in range(30))
    assert "anchors" in problem_of(bomb).problem


@given(st.binary(max_size=400))
def test_any_bytes_give_nodes_or_one_problem(content):
    result = parse_nodes(content, file="a.yml")
    assert isinstance(result, Scalar | Sequence | Mapping | RuleProblem)


@given(st.text(alphabet="ab:-[]{},&*!|>'\"#\n \t?%@`", max_size=80))
def test_any_text_gives_nodes_or_one_problem(text):
    result = parse_nodes(text.encode(), file="a.yml")
    assert isinstance(result, Scalar | Sequence | Mapping | RuleProblem)
