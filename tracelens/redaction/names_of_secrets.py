"""Which names say that their value is a secret.

``password`` always does. ``token`` often does not: here it is a word of
language models, so its value has to look like a secret as well.
"""

from __future__ import annotations

from tracelens.expressions import expression
from tracelens.typed import Enum


class Strength(Enum):
    """How much a name says of its value."""

    #: Whatever it is, it is secret.
    SURE = "sure"
    #: Secret if it looks like one.
    LOOKS = "looks"


_WORDS = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SURE_WORDS = frozenset(
    {"password", "passwd", "passphrase", "passcode", "secret", "pwd", "passwort", "storepass", "keypass"}
)
#: Words that together name a key of somebody; a ``cache_key`` is none.
_SURE_PARTS = (
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "subscriptionkey",
    "storagekey",
    "licensekey",
    "clientsecret",
    "connectionstring",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "bearertoken",
    "sessiontoken",
    "apitoken",
    "hubtoken",
    "deploytoken",
    "securitytoken",
    "usertoken",
    "oauthtoken",
    "identitytoken",
    "xauthtoken",
    "sharedaccess",
    "accountsas",
    "idtoken",
)
_LOOKS_WORDS = frozenset(
    {"token", "jwt", "bearer", "auth", "credential", "credentials", "signature", "sig", "cookie", "sas", "dsn", "pat"}
)
#: What makes a token one of a language model, or a key one of a dictionary.
_HARMLESS_WORDS = frozenset(
    """
    cache graph guard hash sort primary foreign dispatch
    pad eos bos unk sep cls mask image audio video next stop start end new max min num per special first last prev
    begin sos eot eom think tool input output prompt text vocab draft target sampled accepted lookahead total
    placeholder count limit type types name names file path url uri dir length len size budget style scheme mode
    policy field label class id ids index parser method error expired expiry ttl algorithm required enabled
    """.split()  # noqa: SIM905 - read as a text
)
#: These name an identity, not a secret, yet belong to it.
_SURE_NAMES = frozenset({"private_key_id", "aws_access_key_id", "aws_secret_access_key_id"})


def strength_of(name: str) -> Strength | None:
    """Return what a name (of a variable, a field, an option, a header) says of its value."""
    own = name.rpartition(".")[2].strip("-_")
    words = [word.lower() for word in _WORDS.findall(own)]
    if own.lower() in _SURE_NAMES:
        return Strength.SURE
    if not words or own in ("PWD", "OLDPWD") or words[-1] in _HARMLESS_WORDS:
        return None
    if _is_sure(own, words):
        return Strength.SURE
    is_key = words[-1] == "key" and len(words) > 1 and own.isupper()
    if (is_key or not _LOOKS_WORDS.isdisjoint(words)) and _HARMLESS_WORDS.isdisjoint(words):
        return Strength.LOOKS
    return None


def _is_sure(own: str, words: list[str]) -> bool:
    together = "".join(words)
    if any(part in together for part in _SURE_PARTS) or not _SURE_WORDS.isdisjoint(words):
        return True
    if own.lower().endswith(("password", "passwd", "sshpass")):
        return True
    # Variables of the environment: DB_PASS, HF_TOKEN.
    is_variable = own.isupper() and len(words) > 1 and _HARMLESS_WORDS.isdisjoint(words)
    return is_variable and words[-1] in ("pass", "token")
