"""Secrets that only their name gives away: ``NAME=value``, ``"name": "value"``, ``--name value``, headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracelens.expressions import expression
from tracelens.redaction.ledger import PLACEHOLDER, Kind, Ledger
from tracelens.redaction.names_of_secrets import Strength, strength_of

_TELLING_WORD = (
    "passw|passphrase|passcode|pwd|_pass|storepass|keypass|secret|token|apikey|api[_-]key|accesskey|access[_-]key"
    "|privatekey|private[_-]key|accountkey|account[_-]key|sharedaccess|[a-z]key[_-]?(?:id)?|[_-]key|auth|credential"
    "|signature|[_-]sig|cookie|jwt|bearer|sshpass|[_-]sas|dsn|connection[_-]?string|[_-]pat"
)
#: A name's end and what stands between it and the value; the value is read by itself, for it may hold further names.
_ASSIGNED = expression(
    rf"(?i)(?:{_TELLING_WORD})[A-Za-z0-9_-]{{0,32}}"
    r"(?:\\{0,3}[\"']?\]?[ \t]{0,3}(?:=>|:=|==|=|:|%3D)[ \t]{0,3}|\\{0,3}[\"'], ?(?=\\{0,3}[\"']))"
)
_OPTION = expression(
    r"(?i)(?:^|(?<=[\s\"'\[(]))--?[A-Za-z0-9_-]{0,40}(?:token|passw|passphrase|secret|key|auth|credential)"
    r"[A-Za-z0-9_-]{0,16}(?:[ \t]{1,3}|[\"'], {0,2}(?=[\"']))"
)
_NAME_BEFORE = expression(r"[A-Za-z0-9_.-]{0,64}\Z")
_NAME = expression(r"[A-Za-z0-9_.-]+")
_QUOTED = expression(r"(?P<open>\\{0,3}[\"'])(?P<value>[^\"'\n\\]{0,4096})")
_ENVIRONMENT_VALUE = expression(r"[^\s\"'`|<>]{1,4096}")
_PLAIN_VALUE = expression(r"[^\s\"'`,;&|)\]}<>\\]{1,4096}")
#: What says that there is no value here, or that code is quoted.
_NO_VALUE = expression(
    r"(?i)(?:none|null|nil|nan|true|false|undefined|unset|empty|missing|invalid|required|redacted|hidden|masked|str|int"
    r"|bytes|bool|string|any|optional\b.*|union\b.*|secretstr\b.*|\*+|x{3,}|\.{2,}|-+|\$?[{(\[].*|\$[A-Za-z_]\w*|%[sdr]|%\(.*"
    r"|(?:self|os|kwargs|args|config|cfg|settings|getpass|getattr|environ|request|options|params)\b[.\[(_].*"
    r"|[a-z_][\w.]{0,80}[(\[].*)$"
)
_NEXT_OPTION = expression(r"--?[a-z][a-z0-9]*(?:[=-].*)?$")
_HAS_LETTER = expression("[A-Za-z]")
_HAS_DIGIT = expression("[0-9]")
_SECRET_LETTERS = expression(r"[A-Za-z0-9+/=_.~:%*!@#^-]{8,4096}$")
_LONG = 20
_DIGEST = 32

#: The rest of the line, or up to the quote that the header stands in.
_AUTHORIZATION = expression(
    r"(?i)(?P<head>(?:proxy-)?authorization\\{0,3}[\"']?\]?[ \t]{0,3}[:=,][ \t]{0,3}\\{0,3}[\"']?)"
    r"(?P<scheme>(?:bearer|basic|token|apikey|bot|negotiate|ntlm|digest|aws4-hmac-sha256|googlelogin)[ \t]{1,3})?"
    r"(?P<value>[^\"'\n\\]{1,4096})"
)
_SCHEMED = expression(r"(?i)\b(?P<scheme>bearer|basic)[ \t]{1,3}(?P<value>[A-Za-z0-9+/=_.~-]{16,4096})")
_COOKIE = expression(
    r"(?i)(?P<head>\b(?:set-)?cookie\\{0,3}[\"']?[ \t]{0,3}:[ \t]{0,3}\\{0,3}[\"']?)"
    r"(?P<value>[^\"'\n\\=]{1,256}=[^\"'\n\\]{0,8192})"
)
_NETRC = expression(
    r"(?i)\blogin[ \t\n]{1,8}(?P<user>[^\s]{1,128})[ \t\n]{1,8}password[ \t]{1,8}(?P<value>[^\s]{1,512})"
)
_LOGIN = expression(
    r"\b(?:sshpass[ \t]+-p[ \t]*|curl\b[^\n]{0,200}?[ \t](?:-u|--user)[ \t]+"
    r"|docker[ \t]+login\b[^\n]{0,200}?[ \t]-p[ \t]+"
    r"|wandb[ \t]+login[ \t]+(?:--\w+[ \t]+){0,3}|mysql\b[^\n]{0,200}?[ \t]-p)(?P<value>(?!-)[^\s\"']{1,512})"
)
#: As prose and shells put it; the value has to look like nothing but a secret.
_SPOKEN = expression(
    r"(?i)(?:token|api[ _-]?key|access[ _-]?key|secret|password|passwd|passphrase|credential)s?[\"'`]?"
    r"(?: (?:provided|is|was|for user))?[:=]?[ \t]{1,3}[\"'`]?(?P<value>[A-Za-z0-9]{12,4096})(?![A-Za-z0-9_/(-])"
)
_ELEMENT = expression(r"<(?P<name>[A-Za-z][A-Za-z0-9_:-]{0,40})>(?P<value>[^<>\n]{1,1024})(?=</)")
_PAIR = expression(r"\bauth=\([\"'][^\"'\n]{0,200}[\"'],[ ]?[\"'](?P<value>[^\"'\n]{1,512})")
_WANDB_KEY = expression(r"(?i)wandb[^\n]{0,200}?(?<![0-9a-f])(?P<value>[0-9a-f]{40})(?![0-9a-f])")


def redact_assignments(text: str, ledger: Ledger) -> str:
    """Return the text without the values of headers, options and names that say that they are secret."""
    text = _AUTHORIZATION.sub(lambda match: _header(match, ledger), text)
    text = _SCHEMED.sub(lambda match: f"{match['scheme']} {_secret(match['value'], Kind.TOKEN, ledger)}", text)
    text = _COOKIE.sub(lambda match: match["head"] + _secret(match["value"], Kind.COOKIE, ledger), text)
    for pattern, kind in (
        (_NETRC, Kind.PASSWORD),
        (_LOGIN, Kind.PASSWORD),
        (_PAIR, Kind.PASSWORD),
        (_WANDB_KEY, Kind.TOKEN),
    ):
        text = pattern.sub(lambda match, kind=kind: _value(match, kind, ledger), text)  # type: ignore[misc]
    text = _SPOKEN.sub(
        lambda match: _value(match, Kind.TOKEN, ledger) if _is_random(match["value"]) else match[0], text
    )
    text = _ELEMENT.sub(
        lambda match: _value(match, Kind.TOKEN, ledger) if strength_of(match["name"]) else match[0], text
    )
    for pattern in (_ASSIGNED, _OPTION):
        text = "".join(_pieces(text, pattern, ledger))
    return text


def _is_random(word: str) -> bool:
    """Tell what no name and no word looks like: digits among letters of both cases, or the digest of something."""
    digits = len(_HAS_DIGIT.findall(word))
    mixed = word not in (word.lower(), word.upper())
    return digits > 1 and bool(_HAS_LETTER.search(word)) and (mixed or len(word) >= _DIGEST)


def _secret(value: str, kind: Kind, ledger: Ledger) -> str:
    return value if PLACEHOLDER.match(value) else ledger.secret(kind, value)


def _header(match: re.Match[str], ledger: Ledger) -> str:
    value = match["value"].rstrip()
    if _NO_VALUE.match(value) or len(value) < 4:
        return match.group()
    return f"{match['head']}{match['scheme'] or ''}{_secret(value, Kind.TOKEN, ledger)}"


def _value(match: re.Match[str], kind: Kind, ledger: Ledger) -> str:
    start, end = (place - match.start() for place in match.span("value"))
    return match.group()[:start] + _secret(match["value"], kind, ledger) + match.group()[end:]


def _pieces(text: str, pattern: re.Pattern[str], ledger: Ledger) -> Iterator[str]:
    position = 0
    while match := pattern.search(text, position):
        found = _secret_after(text, match, is_option=pattern is _OPTION)
        if found is None:
            yield text[position : match.end()]
            position = match.end()
            continue
        start, end, kind = found
        yield text[position:start]
        yield ledger.secret(kind, text[start:end])
        position = end
    yield text[position:]


def _secret_after(text: str, match: re.Match[str], *, is_option: bool) -> tuple[int, int, Kind] | None:
    """Return where the secret stands that a name announces."""
    before = _NAME_BEFORE.search(text, max(0, match.start() - 64), match.start())
    named = _NAME.match(text, match.start() - len(before.group()) if before else match.start())
    name = named.group() if named else ""
    strength = strength_of(name)
    if strength is None:
        return None
    own = name.rpartition(".")[2]
    quoted = _QUOTED.match(text, match.end())
    if quoted:
        value, (start, end) = quoted["value"], quoted.span("value")
    else:
        reader = _ENVIRONMENT_VALUE if own.isupper() or is_option else _PLAIN_VALUE
        plain = reader.match(text, match.end())
        if plain is None or (is_option and _NEXT_OPTION.match(plain.group())):
            return None
        value = plain.group().rstrip(",;)]}")
        start, end = plain.start(), plain.start() + len(value)
    if not _is_secret(value, own, strength, is_quoted=quoted is not None):
        return None
    return start, end, Kind.PASSWORD if "pass" in name.lower() or "pwd" in name.lower() else Kind.TOKEN


def _is_secret(value: str, name: str, strength: Strength, *, is_quoted: bool) -> bool:
    bare = value.strip()
    if not bare or PLACEHOLDER.match(bare) or bare.lower() == name.lower() or (name == "pwd" and bare.startswith("/")):
        return False
    if _NO_VALUE.match(bare) and not (is_quoted and strength is Strength.SURE and bare[0] in "$%{(["):
        return False
    if strength is Strength.SURE:
        return True
    if not _SECRET_LETTERS.match(bare) or not _HAS_LETTER.search(bare):
        return False
    return bool(_HAS_DIGIT.search(bare)) or (len(bare) >= _LONG and bare != bare.lower())
