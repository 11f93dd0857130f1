"""The figures: no planted secret of ten thousand is left, and innocent lines stay as they are."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from tests.command import CORPUS
from tests.redaction.secrets_of_all_kinds import planted
from tracelens.redaction import Redactor

SECRETS = 10_000
MOST_CHANGED = 0.01
LOGS = sorted(CORPUS.rglob("input.log"))
#: Whoever looks for people and machines in a log looks at lines like these; others are innocent.
_MAY_BE_PRIVATE = re.compile(
    r"(?i)/home|/users|\\users|@|torchinductor_|host|user|node\d|ip[=:]|\d+\.\d+\.\d+\.\d+|token|key|secret|passw|://"
)
_COLOURS = re.compile("\x1b(?:\\[[0-9;:?]*[A-Za-z]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\))")


@cache
def log_text(number: int) -> str:
    """Return a log of the corpus."""
    return LOGS[number].read_bytes().decode("utf-8", "surrogateescape")


def test_no_secret_of_ten_thousand_planted_in_real_logs_is_left():
    random = Random(20261201)
    leaked = []
    for start in range(0, SECRETS, 20):
        lines = log_text(random.randrange(len(LOGS))).split("\n")[:200]
        hidden: list[str] = []
        for _ in range(min(20, SECRETS - start)):
            text, secrets = planted(random)
            lines.insert(random.randrange(len(lines) + 1), text)
            hidden += secrets
        whole = "\n".join(lines)
        shown = Redactor([whole]).redact(whole)
        leaked += [secret for secret in hidden if secret in shown]
    assert leaked == []


def test_hardly_any_innocent_line_is_changed():
    innocent = changed = 0
    for number in range(len(LOGS)):
        text = log_text(number)
        for before, after in zip(text.split("\n"), Redactor([text]).redact(text).split("\n"), strict=True):
            if not _MAY_BE_PRIVATE.search(before):
                innocent += 1
                changed += _COLOURS.sub("", before) != after
    assert innocent > 30_000
    assert changed <= innocent * MOST_CHANGED


def test_redacting_twice_changes_nothing_more():
    for number in range(0, len(LOGS), 4):
        text = log_text(number)
        once = Redactor([text]).redact(text)
        assert Redactor([once]).redact(once) == once
