"""A name for the cause of a failure that is the same wherever it happens.

Machines, users, ranks, runs and patch releases of torch differ in paths,
numbers, hashes and identities; what is left of the line that proves a finding,
with its label, is the cause. The version is part of the fingerprint: a change
of these rules changes it, so that no two versions mean different things by one.
"""

from __future__ import annotations

import re

from tracelens.expressions import compiled, expression
from tracelens.findings import Fingerprint

VERSION = 1
#: So many letters of what was said count; what follows is detail of one run.
_SAID = 240
_SEARCHED = 90
_FEWEST_LETTERS = 12

#: ``libcuda.so``, ``Python.h`` and the like name what is missing or broken.
_TELLING_FILE = r"(?:lib[A-Za-z_+-]{2,40}\.(?:so|a|dylib)|[\w+-]{1,40}\.(?:h|hpp|cuh|dll|lib)\b)"
_PATH = expression(
    r"(?:[A-Za-z]:)?(?:\\{1,2}[^\\/\s'\"`:;,)\]}>]+){2,}|(?:file://)?(?:~|\.{1,2})?(?:/[^/\s'\"`:;,)\]}>]+)+/?|[\w.-]+(?:/[\w.+-]+){2,}"
)
_VARIABLE = expression(
    r"(?:https?|tcp)://\S+"
    r"|0x[0-9a-fA-F]+"
    # Hashes of cache entries and random names of temporary files.
    r"|\b[a-z2-7]{40,}\b|\b[A-Z2-7]{40,}\b|\b[0-9a-f]{12,}\b|\btmp[a-z0-9_]{6,10}\b"
    # A machine, an address or an endpoint.
    r"|(?<=\bON )\S+(?= CANCELLED)"
    r"|\[?[\w.-]+\]?:\d{2,5}\b(?!:)"
    # A place in a source file.
    r"|(?:/|[\w.+-]+)(?::\d{1,6}){1,2}(?=:)"
    r"|\d+(?:[.,]\d+)*(?:\s?[KMGT]i?B\b)?"
)
#: What redaction left: a redacted log has the fingerprint of the log.
_PLACEHOLDER = expression(r"<(?:user|host|ip|email|account)\d+>")
_MARKS = {"path": "/", "value": "#"}
_PROCESS = expression(r"(?:\[?rank ?#\]?:?|\(\w+ pid=#[^)]*\)) ?", re.IGNORECASE)
_BLANKS = expression(r"\s+")
_WORDS = expression(r"[^\s/#'\"`<>|(){}\[\]…]+(?: [^\s/#'\"`<>|(){}\[\]…]+)*")


def fingerprint_of(label: str | None, said: str) -> Fingerprint:
    """Return the fingerprint of a cause; ``said`` is the line that proves it, without decorations."""
    essence = essence_of(said)
    name = label or "unexplained"
    number = _number(f"{VERSION}\n{name}\n{essence}".encode("utf-8", "surrogatepass"))
    return Fingerprint(value=f"tracelens-{VERSION}-{number:016x}", search=_search(label, essence))


def _number(data: bytes) -> int:
    """Return FNV-1a of 64 bits: nobody gains from a collision, and hashlib costs every start as much as a log."""
    number = 0xCBF29CE484222325
    for byte in data:
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return number


def essence_of(said: str) -> str:
    """Return what is left of a line when everything that one run or one machine adds is taken out."""
    text = _PLACEHOLDER.sub("0", _BLANKS.sub(" ", said).strip())
    text = _PATH.sub(_shown_path, text)
    text = _VARIABLE.sub(_MARKS["value"], text)
    return _PROCESS.sub("", text)[:_SAID].strip()


def _shown_path(match: re.Match[str]) -> str:
    name = re.split(r"[/\\]", match.group().rstrip("/"))[-1]
    telling = compiled(_TELLING_FILE).match(name)
    return telling.group() if telling else _MARKS["path"]


def _search(label: str | None, essence: str) -> str:
    """Return words that find other reports of the same cause: the longest run that no value interrupts."""
    runs = [run.strip(" .,:;=-") for run in _WORDS.findall(essence)]
    longest = max(runs, key=len, default="")[:_SEARCHED]
    if len(longest) < _FEWEST_LETTERS:
        return " ".join(dict.fromkeys(("torch.compile", *(label or "").replace("/", " ").split(), *longest.split())))
    if len(longest) == _SEARCHED:
        longest = longest.rpartition(" ")[0] or longest
    return f'"{longest}"'
