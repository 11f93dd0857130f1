"""What was replaced, by kind, and which placeholder stands for whom."""

from __future__ import annotations

from collections import Counter

from tracelens.expressions import expression
from tracelens.findings import Replacement
from tracelens.typed import Enum

#: What stands in a text that was redacted already; it is never replaced again.
PLACEHOLDER = expression(r"<[a-z]+(?:-[a-z]+)*\d*>")


class Kind(Enum):
    """What can be replaced; the value is how a report calls it."""

    PRIVATE_KEY = "private key"
    CREDENTIALS = "credentials"
    PASSWORD = "password"  # noqa: S105 - a word
    TOKEN = "token"  # noqa: S105 - a word
    WEBHOOK = "webhook"
    COOKIE = "cookie"
    USER = "user"
    HOST = "host"
    ADDRESS = "ip"
    EMAIL = "email"
    ACCOUNT = "account"


class Ledger:
    """Hands out placeholders and keeps count of them."""

    def __init__(self) -> None:
        """Start with nothing replaced."""
        self._times: Counter[Kind] = Counter()
        self._names: dict[Kind, dict[str, int]] = {}

    def secret(self, kind: Kind, original: str) -> str:
        """Return what stands for a secret: nothing tells two of them apart."""
        self._number(kind, original)
        return f"<{kind.value.replace(' ', '-')}>"

    def name(self, kind: Kind, original: str) -> str:
        """Return what stands for a name; the same name in other letters has the same number."""
        return f"<{kind.value}{self._number(kind, original.lower())}>"

    def _number(self, kind: Kind, original: str) -> int:
        self._times[kind] += 1
        names = self._names.setdefault(kind, {})
        return names.setdefault(original, len(names) + 1)

    def replacements(self) -> tuple[Replacement, ...]:
        """Return what was replaced, in the order of the kinds."""
        return tuple(
            Replacement(kind=kind.value, times=self._times[kind], different=len(self._names[kind]))
            for kind in Kind
            if self._times[kind]
        )
