"""One redactor for all texts of one answer, so that a name has one placeholder everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from tracelens.expressions import expression
from tracelens.findings import Replacement
from tracelens.redaction.assignments import redact_assignments
from tracelens.redaction.keys import redact_keys
from tracelens.redaction.ledger import Ledger
from tracelens.redaction.network import Network
from tracelens.redaction.people import People
from tracelens.redaction.tokens import redact_tokens
from tracelens.redaction.urls import redact_urls

#: Colours and cursor movements, which could stand in the middle of a secret.
_ESCAPES = expression("\x1b(?:\\[[0-9;:?]{0,32}[A-Za-z]|\\][^\x07\x1b\n]{0,256}(?:\x07|\x1b\\\\)|[()][A-Z0-9]|[=>78])")
#: What no reader sees, yet what parts a secret so that no pattern knows it. It stays beside other than ASCII, for
#: scripts and emoji need it, as do carriage returns, which end lines.
_UNSEEN = expression(
    "(?<=[!-~])[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+(?=[!-~])"
)


class Redactor:
    """Learns from all texts first, then redacts each of them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Learn who and what is named in ``texts``."""
        self._ledger = Ledger()
        self._people = People(self._ledger)
        self._network = Network(self._ledger)
        for text in texts:
            self.learn(text)

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """Return what was replaced so far."""
        return self._ledger.replacements()

    def learn(self, text: str) -> None:
        """Note names that may recur in other texts."""
        text = _plain(text)
        self._people.learn(text)
        self._network.learn(text)

    def redact(self, text: str) -> str:
        """Return the text with what is private replaced; it has as many lines as before."""
        text = redact_keys(_plain(text), self._ledger)
        text = redact_urls(text, self._ledger)
        text = redact_assignments(text, self._ledger)
        text = redact_tokens(text, self._ledger)
        text = self._people.redact_addresses(text)
        text = self._people.redact(text)
        return self._network.redact(text)


def _plain(text: str) -> str:
    text = _ESCAPES.sub("", text) if "\x1b" in text else text
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)
