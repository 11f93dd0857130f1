"""The bug report: the answer first, nothing in it acts, it fits, and it can be analysed again."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus_cases import all_cases, our_rules
from tests.report.markdown_page import code_in, html_in, links_in, text_in
from tracelens.api import analyze_feed, analyze_text
from tracelens.findings import Diagnosis, EvidenceRole, LogExcerpt, Outcome, Unexplained
from tracelens.record import replace
from tracelens.redaction import redact_record
from tracelens.report.as_markdown import LIMIT, render
from tracelens.report.document import Document
from tracelens.source import expand_inputs
from tracelens.text import Span

_MAY_LEAD_TO = ("https://github.com/pytorch/pytorch/issues?q=is%3Aissue%20", "https://")
_HOSTILE = """\
```
`````
</details></details><script>alert(1)</script>
<details open><img src=x onerror=alert(1)>
# heading
@octocat please see #123, GH-7, pytorch/pytorch#5 and https://evil.example/x www.evil.example
![pixel](https://evil.example/p.png) [click](javascript:alert(1)) <https://evil.example>
::error title=x::y
| a | b |
$\\def\\x{1}$ &lt;b&gt; :tada: ~~gone~~ ***
~~~
\tindented\x1b[31m red \x1b]8;;http://evil.example\x07link\x07
"""
_MARKUP = st.text(alphabet="`~<>/details@#:[]()!|\\&;\n\r\t *_-=+.1aé\x1b\u202e\u2028", max_size=120)


def hostile(diagnosis: Diagnosis, text: str) -> Diagnosis:
    """Return an answer in which a log could say anything, wherever it can."""
    (finding,) = diagnosis.findings
    evidence = tuple(replace(item, text=text) for item in finding.evidence)
    fixes = tuple(replace(fix, title=text, commands=(text,)) for fix in finding.fixes)
    finding = replace(finding, title=text, summary=text, because=text, process=text, evidence=evidence, fixes=fixes)
    return replace(
        diagnosis,
        findings=(finding, replace(finding, title=text)),
        source=text,
        environment=replace(diagnosis.environment, torch=text, gpu=text),
        excerpts=(LogExcerpt(span=Span(line=1, end_line=9), text=text),),
    )


def assert_harmless(markdown: str) -> None:
    """Assert that nothing in a report acts but what we put there."""
    ours = re.compile(
        r"<!-- tracelens report 1 -->|<details><summary>[^<>]*</summary>|</details>|</?summary>|<details>"
    )
    assert [line for line in html_in(markdown) if not ours.fullmatch(line)] == []
    opened = sum(line.count("<details>") for line in html_in(markdown))
    assert opened == sum(line.count("</details>") for line in html_in(markdown))
    assert [link for link in links_in(markdown) if not link.startswith(_MAY_LEAD_TO) or "evil" in link] == []
    shown = text_in(markdown)
    assert re.findall(r"@\w|#\d|\bGH-\d|\w://|\bwww\.\w|(?:^|\s)::", shown) == []
    assert "\x1b" not in markdown


def test_answer_stands_before_everything_else(diagnosis: Diagnosis) -> None:
    text = render(Document(together=diagnosis))
    order = [
        "No C++ compiler for this process",
        "toolchain/cxx-missing",
        "**C++ ✗**",
        "1243 │",
        "**Why:**",
        "**Fix 1:**",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert places[-1] < text.index("### Error logs")


def test_fields_are_those_of_the_form(diagnosis: Diagnosis) -> None:
    headings = re.findall("^### (.*)$", render(Document(together=diagnosis)), re.MULTILINE)
    assert headings == ["🐛 Describe the bug", "Error logs", "Minimal repro", "Ablation", "Versions"]


def test_hostile_text_does_nothing(diagnosis: Diagnosis) -> None:
    markdown = render(Document(together=hostile(diagnosis, _HOSTILE)))
    assert_harmless(markdown)
    assert any("onerror=alert(1)" in code and "# heading" in code for code in code_in(markdown))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_MARKUP)
def test_any_text_does_nothing(diagnosis: Diagnosis, text: str) -> None:
    assert_harmless(render(Document(together=hostile(diagnosis, text))))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_MARKUP)
def test_any_text_of_an_unexplained_failure_does_nothing(diagnosis: Diagnosis, text: str) -> None:
    unexplained = replace(
        hostile(diagnosis, text),
        outcome=Outcome.UNEXPLAINED,
        unexplained=Unexplained(seen=text, next_command=text),
        evidence=diagnosis.findings[0].evidence,
    )
    assert_harmless(render(Document(together=unexplained)))


@pytest.mark.parametrize("letter", ["x", "\x00", "é", "`", "<", "@", "\u202e"])
def test_report_fits_whatever_the_log(diagnosis: Diagnosis, letter: str) -> None:
    long = (letter * 300 + "\n") * 300
    one = hostile(diagnosis, long)
    document = Document(together=one, inputs=tuple(replace(one, source=f"rank{n}.log") for n in range(80)))
    markdown = render(document)
    assert len(markdown.encode()) <= LIMIT
    assert "Left out, as this report may have 65,536 bytes" in markdown
    assert_harmless(markdown)


def test_what_matters_least_is_left_out_first(diagnosis: Diagnosis) -> None:
    excerpts = tuple(
        LogExcerpt(span=Span(line=line, end_line=line + 5), text="word " * 4_000) for line in (10, 1_240, 3_000, 5_000)
    )
    markdown = render(Document(together=replace(diagnosis, excerpts=excerpts)))
    assert "lines 1240 to 1245" in markdown
    assert "Left out" in markdown
    assert "lines 5000 to 5005" in markdown.partition("Left out")[2]


def test_what_was_replaced_is_listed(diagnosis: Diagnosis) -> None:
    secret = replace(diagnosis, source="/home/jdoe/train.log")
    document, replacements = redact_record(Document(together=secret))
    markdown = render(replace(document, replacements=replacements))
    assert "jdoe" not in markdown
    assert "| user | 1 | 1 |" in markdown
    assert "Nothing was redacted" in render(Document(together=secret))


@pytest.mark.parametrize("identity", all_cases())
def test_redacted_report_analysed_again_has_the_same_answer(identity):
    (entry,) = expand_inputs([str(all_cases()[identity].log)])
    with entry.open() as feed:
        answer = analyze_feed(feed, our_rules(), source=identity, excerpt_room=40_000)
    document, replacements = redact_record(Document(together=answer))
    markdown = render(replace(document, replacements=replacements))
    assert len(markdown.encode()) <= LIMIT
    assert_harmless(markdown)
    again = analyze_text(markdown, our_rules())
    assert (again.label, again.outcome) == (answer.label, answer.outcome)
    assert all(
        item.text for finding in again.findings[:1] for item in finding.evidence if item.role is EvidenceRole.ROOT
    )
