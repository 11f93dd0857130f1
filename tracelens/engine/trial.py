"""The events of a text that is in memory, arranged for rules to be tried on.

Everything is read, as in a small log: no scan comes before it.
"""

from __future__ import annotations

from tracelens.engine.log import Log
from tracelens.engine.match import Match, Matcher
from tracelens.engine.store import EventStore
from tracelens.parsing import parse_strand
from tracelens.ruleset.compiled import RuleSet, entries_of
from tracelens.ruleset.model import Rule
from tracelens.source import split_strands
from tracelens.text import Region


def store_of(text: str) -> EventStore:
    """Return the events of a text."""
    region = Region(first_line=1, text=text if text.endswith("\n") else f"{text}\n")
    store = EventStore()
    for strand in split_strands(region):
        store.take(parse_strand(strand))
    return store


def try_rule(rule: Rule, text: str) -> tuple[Match, ...]:
    """Return what a rule finds in a text, whatever other rules say and whatever versions it is for."""
    store = store_of(text)
    log = Log(store.events(), store.own_lines)
    opened = list(log.openable(RuleSet(entries_of([rule]))))
    return Matcher(log).matches(rule.when, rule.unless) if opened else ()
