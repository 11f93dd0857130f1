"""The page is one file, and nothing from a log is markup in it."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.api import analyze_text, combine
from tracelens.findings import Evidence, EvidenceRole, Fingerprint, Outcome
from tracelens.report.as_html import render
from tracelens.report.document import Document
from tracelens.text import Span

#: Elements that never have a closing tag.
VOID = {"meta", "br", "img", "input", "link"}


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def with_line(diagnosis, text):
    """Return the answer with a line of a log as its only evidence and its title."""
    evidence = Evidence(span=Span(line=7, end_line=7), text=text, role=EvidenceRole.ROOT)
    finding = replace(diagnosis.findings[0], evidence=(evidence,), title=text, summary=text)
    return replace(diagnosis, findings=(finding,), source=text)


def test_page_says_what_failed_why_and_what_to_type(diagnosis, finding):
    page = Page(render(Document(together=diagnosis)))
    for part in (finding.title, finding.summary, finding.because, *finding.fixes[0].commands, finding.label):
        assert part in page.text
    assert page.text.index(finding.title) < page.text.index(finding.summary)


def test_page_is_closed_and_names_its_language(diagnosis):
    page = Page(render(Document(together=diagnosis)))
    assert page.open == []
    assert page.named("html") == [{"lang": "en"}]


def test_identities_are_unique(diagnosis):
    page = Page(render(Document(together=diagnosis, inputs=(diagnosis, diagnosis))))
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))


def test_every_reference_of_the_page_leads_somewhere(diagnosis):
    page = Page(render(Document(together=diagnosis, inputs=(diagnosis, diagnosis))))
    names = {attributes.get("id") for _, attributes in page.elements}
    wanted = {link["href"][1:] for link in page.named("a") if link["href"].startswith("#")}
    wanted |= {attributes["aria-labelledby"] for _, attributes in page.elements if "aria-labelledby" in attributes}
    assert wanted
    assert wanted <= names


def test_page_loads_nothing(diagnosis):
    page = Page(render(Document(together=diagnosis)))
    assert not [name for name, _ in page.elements if name in {"link", "img", "iframe", "object", "base", "form"}]
    assert not [attributes for _, attributes in page.elements if "src" in attributes or "style" in attributes]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_policy_allows_the_style_and_the_script_of_the_page_alone(diagnosis):
    text = render(Document(together=diagnosis))
    policy = Page(text).named("meta")[1]["content"]
    for tag in ("style", "script"):
        content = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize(
    "attack",
    [
        "</code></pre><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '" onmouseover="alert(1)',
        "' autofocus onfocus='alert(1)",
        "</style><style>*{display:none}",
        "{{ 7 * 7 }}{% for x in y %}",
        "<!--",
        "&lt;script&gt;",
    ],
)
def test_markup_of_a_log_stays_text(diagnosis, attack):
    usual = Page(render(Document(together=with_line(diagnosis, "x"))))
    page = Page(render(Document(together=with_line(diagnosis, attack))))
    assert page.open == []
    assert [(name, sorted(attributes)) for name, attributes in page.elements] == [
        (name, sorted(attributes)) for name, attributes in usual.elements
    ]
    assert attack in page.text


def test_nothing_in_a_log_turns_text_around(diagnosis):
    turned = Fingerprint(value="tracelens-1-0", search="\u202ewords")
    page = Page(render(Document(together=replace(with_line(diagnosis, "a\u202eb"), fingerprint=turned))))
    assert "\u202e" not in page.text
    assert "\\u202ewords" in page.text


def frame_of(diagnosis) -> list[str]:
    """Return the elements of a page but for those that lines of a log make."""
    page = Page(render(Document(together=diagnosis)))
    return [name for name, _ in page.elements if name not in {"div", "span", "code"}]


@given(st.text())
def test_any_text_adds_no_element(text):
    diagnosis = analyze_text("RuntimeError: Ninja is required to load C++ extensions\n")
    assert frame_of(with_line(diagnosis, text)) == frame_of(with_line(diagnosis, "x"))


def test_reference_that_is_no_address_is_no_link(diagnosis):
    finding = replace(diagnosis.findings[0], references=("javascript:alert(1)", "https://pytorch.org/docs"))
    page = Page(render(Document(together=replace(diagnosis, findings=(finding,)))))
    assert [link["href"] for link in page.named("a")] == ["https://pytorch.org/docs"]
    assert "javascript:alert(1)" in page.text


def test_strip_shows_every_rank_and_the_first_to_fail(diagnosis):
    page = Page(render(Document(together=diagnosis)))
    styles = [cell["class"] for cell in page.named("rect")]
    assert styles == ["hit", "hit", "hit", "first", "hit", "hit", "hit", "hit"]
    assert "Seen on 8 of 8 ranks, rank 3 first." in page.text


def test_strip_of_ten_thousand_ranks_stays_small(diagnosis):
    finding = replace(diagnosis.findings[0], ranks=(9_999,), rank=9_999)
    cells = Page(render(Document(together=replace(diagnosis, findings=(finding,))))).named("rect")
    assert 100 < len(cells) <= 256
    assert [cell["class"] for cell in cells].count("first") == 1
    assert cells[-1]["class"] == "first"


def test_evidence_of_many_lines_is_cut(diagnosis):
    text = render(Document(together=with_line(diagnosis, "x\n" * 10_000)))
    assert text.count('<div class="line root"') == 200


def test_several_inputs_stand_below_the_joint_answer():
    one = analyze_text("RuntimeError: Ninja is required to load C++ extensions\n", source="one.log")
    other = analyze_text("all is well\n", source="other.log")
    page = Page(render(Document(together=combine((one, other)), inputs=(one, other))))
    assert len(page.named("article")) == 3
    assert "2 inputs together" in page.text
    assert "No failure in this log" in page.text


def test_unexplained_answer_names_the_next_command():
    answer = analyze_text("RuntimeError: Engine core initialization failed. See root cause above.\n")
    assert answer.outcome is Outcome.UNEXPLAINED
    assert answer.unexplained is not None
    assert answer.unexplained.next_command in Page(render(Document(together=answer))).text
