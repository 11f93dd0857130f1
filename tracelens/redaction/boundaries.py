"""Where a word begins in a log, where escapes may stand right before it."""

from __future__ import annotations

#: Not within a word; but behind a colour, written out or not, and behind ``\n`` or ``%20`` of an escaped text.
START = r"(?:(?<![A-Za-z0-9_])|(?<=[0-9;]m)|(?<=\[m)|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
#: The same where a hyphen or a slash continues a word, too: at most one start in each run of such characters.
RUN_START = r"(?:(?<![A-Za-z0-9_+/=.~-])|(?<=[0-9;]m)|(?<=\[m)|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=[=/]))"
END = r"(?![A-Za-z0-9])"
