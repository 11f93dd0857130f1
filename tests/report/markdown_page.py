"""What a reader's renderer makes of a report: GitHub's dialect, as far as markdown-it knows it."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token


def tokens_of(markdown: str) -> Iterator[Token]:
    """Return every token, those within lines included."""
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown):
        yield token
        yield from token.children or ()


def html_in(markdown: str) -> list[str]:
    """Return what is left to HTML, line by line."""
    found = (token.content for token in tokens_of(markdown) if token.type in ("html_block", "html_inline"))
    return [line for content in found for line in content.splitlines() if line]


def text_in(markdown: str) -> str:
    """Return what is shown outside of code and of links: where mentions, references and bare links come to life."""
    shown, links = [], 0
    for token in tokens_of(markdown):
        links += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "text" and not links:
            shown.append(token.content)
    return "\n".join(shown)


def code_in(markdown: str) -> list[str]:
    """Return the content of every fence and code span."""
    return [token.content for token in tokens_of(markdown) if token.type in ("fence", "code_block", "code_inline")]


def links_in(markdown: str) -> list[str]:
    """Return where links and images lead to."""
    attributes = (token.attrs for token in tokens_of(markdown) if token.type in ("link_open", "image"))
    return [str(attribute.get("href") or attribute.get("src")) for attribute in attributes]
