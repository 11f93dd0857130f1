"""Secrets in URLs: user information, connection strings, signed queries and webhooks."""

from __future__ import annotations

import re

from tracelens.expressions import expression
from tracelens.redaction.ledger import PLACEHOLDER, Kind, Ledger

_USER_INFORMATION = expression(
    r"(?i)(?P<scheme>\b[a-z][a-z0-9+.-]{1,30}:\\{0,2}/\\{0,2}/)(?P<value>[^\s/@\"'<>\\]{1,1024})@"
)
#: Where a password is certain to stand, it may hold any character: all up to the last ``@``.
_CONNECTION = expression(
    r"(?i)(?P<scheme>\b(?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|oracle|mongodb|rediss?|valkey|amqps?|nats|clickhouse"
    r"|snowflake|cockroachdb|s?ftps?|smtps?|ldaps?|imaps?|couchbase|cassandra|neo4j|bolt|kafka|jdbc:[a-z]{2,20}|influxdb)"
    r"(?:\+[a-z0-9]{1,20})?:\\{0,2}/\\{0,2}/)(?P<value>[^\s\"'<>]{0,512}:[^\s\"'<>]{0,512})@"
)
_QUERY = expression(
    r"(?i)(?P<head>[?&;](?:amp;)?(?:access[_-]?token|id[_-]?token|refresh[_-]?token|private[_-]?token|auth(?:orization|[_-]?token)?"
    r"|token|jwt|api[_-]?key|key|code|secret|client[_-]?secret|password|passwd|pwd|sig|signature|hmac|policy|credential"
    r"|awsaccesskeyid|x-(?:amz|goog)-(?:signature|credential|security-token)|key-pair-id|se_token|session(?:id)?|sv_sig)=)"
    r"(?P<value>[^\s&;\"'<>#]{1,4096})"
)
_WEBHOOK = expression(
    r"(?i)(?P<head>hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/|\.webhook\.office\.com/"
    r"|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch/|outlook\.office(?:365)?\.com/webhook/"
    r"|chat\.googleapis\.com/v1/spaces/|maker\.ifttt\.com/trigger/|oapi\.dingtalk\.com/robot/|open\.feishu\.cn/open-apis/bot/v2/hook/"
    r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/)(?P<value>[^\s\"'<>|)]{1,1024})"
)
#: Nobody's name and no secret: how one talks to a server of Git repositories.
_NOBODY = frozenset({"git", "hg", "svn", "anonymous"})


def redact_urls(text: str, ledger: Ledger) -> str:
    """Return the text without what URLs must not show."""
    if "/" in text:
        text = _without_locations(text, ledger)
    return _QUERY.sub(lambda match: _replaced(match, "head", Kind.TOKEN, "", ledger), text) if "=" in text else text


def _without_locations(text: str, ledger: Ledger) -> str:
    text = _WEBHOOK.sub(lambda match: _replaced(match, "head", Kind.WEBHOOK, "", ledger), text)
    for pattern in (_CONNECTION, _USER_INFORMATION):
        text = pattern.sub(lambda match: _replaced(match, "scheme", Kind.CREDENTIALS, "@", ledger), text)
    return text


def _replaced(match: re.Match[str], kept: str, kind: Kind, tail: str, ledger: Ledger) -> str:
    value = match["value"]
    if value in _NOBODY or PLACEHOLDER.fullmatch(value):
        return match.group()
    return f"{match[kept]}{ledger.secret(kind, value)}{tail}"
