"""Users, e-mail addresses and accounts: where a log names them, and wherever the name recurs."""

from __future__ import annotations

import re

from tracelens.expressions import expression
from tracelens.redaction.ledger import Kind, Ledger
from tracelens.redaction.vocabulary import ORDINARY_WORDS

_SEPARATOR = r"(?:\\{1,4}|/{1,2})"
#: The directory of a user, in the spellings of Linux, macOS, Windows, WSL, MSYS and of clusters.
_HOME = expression(
    rf"(?i)(?P<head>(?:(?<![A-Za-z0-9_.-])|(?<=\\[nrt])|(?<=[0-9;]m))(?:[a-z]:|/[a-z]|/mnt/[a-z]|/cygdrive/[a-z]|/host_mnt/[a-z])?{_SEPARATOR}Users{_SEPARATOR})"
    r"(?P<name>[^\\/:*?\"'<>|\n\r\t,;=()\[\]{}]{1,64}?)(?=[\\/\"':*?<>|\n\r\t,;=()\[\]{}]|\s|$)"
    r"|(?P<root>/home(?:fs|dirs?)?\d{0,3}/(?:(?P<shelf>[a-z0-9])/(?=(?P=shelf)))?|/homes/|/u/|/var/home/"
    r"|/afs/[\w.-]{1,64}/(?:home|user|users)/(?:[a-z]/)?"
    r"|/(?:users?|people|staff|students?)/)(?P<owner>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})"
)
#: A user's name with blanks goes on to the next separator.
_HOME_WITH_BLANKS = expression(r"(?i)(?P<head>[a-z]:\\{1,4}Users\\{1,4})(?P<name>[^\\/:*?\"'<>|\n\r\t]{1,64})(?=\\)")
_NAMED = expression(
    r"(?P<head>(?:torchinductor_"
    r"|\b(?:USER|LOGNAME|(?:[A-Z0-9]{1,20}_){0,3}USERNAME|SUDO_USER|SLURM_JOB_USER|NB_USER|GITHUB_ACTOR|GITLAB_USER_LOGIN)"
    r"[\"']?[ ]{0,2}[=:][ ]{0,2}[\"']?"
    r"|\b(?i:owner|user ?name|logged in as):[ ]{1,4}|\buid=\d{1,10}\(|\bUserId=|\buser[ =:]{1,3}['\"]|/run/user/"
    r"|~(?=[a-z][a-z0-9_.-]{1,30}/)|[dl-][rwxsStT-]{9}[.+@]?[ ]{1,4}\d{1,6}[ ]{1,3}))"
    r"(?P<name>[A-Za-z_][A-Za-z0-9_.-]{0,63})"
)
#: ``user@host:~$``, ``[user@host dir]$``, ``ssh user@host``.
_PROMPT = expression(
    r"(?P<name>(?<![A-Za-z0-9_.@/+-])[A-Za-z_][A-Za-z0-9_.-]{1,31})@(?P<host>[A-Za-z][A-Za-z0-9_.-]{1,62})"
    r"(?=:[~/]|[ ][^\n\]\[@]{1,64}\][$#%])"
)
#: ``host:dir user$`` and ``user@host dir % `` of macOS.
_MAC_PROMPT = expression(
    r"(?m)^(?P<head>(?:\([\w.-]{1,40}\) )?[A-Za-z0-9][\w.-]{1,62}:[^\s:]{1,64} )(?P<name>[a-z_][\w.-]{1,31})(?=\$ )"
    r"|^(?P<environment>\([\w.-]{1,40}\) )?(?P<owner>[a-z_][\w.-]{1,31})(?=@[A-Za-z0-9][\w.-]{1,62} [^\n]{1,64} % )"
)
_REMOTE = expression(
    r"\b(?:ssh|scp|sftp|rsync)[ \t](?:[^\n@]{0,80}[ \t])?(?:ssh://)?"
    r"(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,31})@(?P<host>[A-Za-z0-9][A-Za-z0-9_.-]{1,62})"
)
_EMAIL = expression(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._+-]{1,64}(?:@|%40)(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
)
_ACCOUNT = expression(
    r"(?P<head>\b(?:(?:SLURM(?:_JOB)?|SBATCH|SALLOC)_ACCOUNT[\"']?[ ]{0,2}[=:][ ]{0,2}[\"']?|Account=)"
    r"|(?:\bs(?:batch|run|alloc)\b|#SBATCH)[^\n]{0,300}?[ \t](?:-A[ \t]*|--account(?:=|[ \t]{1,3}))[\"']?"
    r"|--account=[\"']?)(?P<name>[A-Za-z0-9_][A-Za-z0-9_.-]{0,63})"
)
_NOT_PEOPLE = frozenset({"root", "public", "default", "all users", "shared", "none", "null", "git"})
#: Hosts of Git repositories: ``git@github.com`` is nobody's address.
_GIT = ("git@", "hg@", "svn@")
_SHORTEST = 3


class People:
    """The people whom a text names."""

    def __init__(self, ledger: Ledger) -> None:
        """Know nobody yet."""
        self._ledger = ledger
        self._names: set[str] = set()
        self._accounts: set[str] = set()
        self._recurring: re.Pattern[str] | None = None

    def learn(self, text: str) -> None:
        """Note who is named, so that the name is known wherever it stands."""
        for pattern in (_HOME, _HOME_WITH_BLANKS, _NAMED, _PROMPT, _MAC_PROMPT, _REMOTE):
            for match in pattern.finditer(text):
                groups = match.groupdict()
                self._names.add(_name_of(groups.get("name") or groups.get("owner") or ""))
        self._accounts.update(_name_of(match["name"]) for match in _ACCOUNT.finditer(text))
        self._recurring = None

    def redact_addresses(self, text: str) -> str:
        """Return the text without e-mail addresses."""
        if "@" not in text and "%40" not in text:
            return text
        return _EMAIL.sub(self._address, text)

    def redact(self, text: str) -> str:
        """Return the text without the names of people, and without paths that lead to them."""
        text = _ACCOUNT.sub(lambda match: self._replaced(match, Kind.ACCOUNT), text)
        for pattern in (_HOME_WITH_BLANKS, _HOME, _NAMED, _PROMPT, _MAC_PROMPT, _REMOTE):
            text = pattern.sub(lambda match: self._replaced(match, Kind.USER), text)
        recurring = self._recurring or self._compile()
        return recurring.sub(self._recurred, text)

    def _address(self, match: re.Match[str]) -> str:
        address = match.group()
        return address if address.startswith(_GIT) else self._ledger.name(Kind.EMAIL, address)

    def _replaced(self, match: re.Match[str], kind: Kind) -> str:
        group = "name" if match.groupdict().get("name") else "owner"
        original = match[group]
        name = _name_of(original)
        if not _is_person(name):
            return match.group()
        start, end = (place - match.start() for place in match.span(group))
        shown = self._ledger.name(kind, name) + original[len(original.rstrip(". ")) :]
        return match.group()[:start] + shown + match.group()[end:]

    def _recurred(self, match: re.Match[str]) -> str:
        name = match.group()
        return self._ledger.name(Kind.ACCOUNT if name.lower() in self._lower_accounts else Kind.USER, name)

    def _compile(self) -> re.Pattern[str]:
        self._lower_accounts = {name.lower() for name in self._accounts} - {name.lower() for name in self._names}
        known = sorted(
            {name for name in self._names | self._accounts if _is_person(name) and _is_distinct(name)},
            key=lambda name: (-len(name), name),
        )
        # Matches nothing where nobody is known.
        names = "|".join(map(re.escape, known)) or r"(?!)"
        self._recurring = re.compile(rf"(?i)(?<![A-Za-z0-9<])(?:{names})(?![A-Za-z0-9])")
        return self._recurring


def _name_of(written: str) -> str:
    return written.rstrip(". ")


def _is_person(name: str) -> bool:
    return bool(name) and name.lower() not in _NOT_PEOPLE


def _is_distinct(name: str) -> bool:
    """Tell whether the name, wherever it stands, is that of the person."""
    lower = name.lower()
    return len(name) >= _SHORTEST and lower not in ORDINARY_WORDS and not lower.isdigit()
