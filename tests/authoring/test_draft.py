"""A draft loads, matches its log, and says that it is a draft."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus_cases import all_cases, our_rules
from tests.ruleset.rule_text import LABELS
from tracelens.authoring.draft import Draft, draft_rule
from tracelens.authoring.logs import read_log
from tracelens.engine.diagnose import judge_events
from tracelens.engine.match import Matcher
from tracelens.engine.trial import store_of, try_rule
from tracelens.errors import UsageError
from tracelens.ruleset.compiled import RuleSet
from tracelens.ruleset.load import bundled_taxonomy, load_folders, load_labels
from tracelens.ruleset.model import Rule
from tracelens.ruleset.read_rule import read_rule

NO_RULES = RuleSet([])
FRAME = 'Traceback (most recent call last):\n  File "/opt/acme/a.py", line 3, in f\n'
#: Every so many of the cases: all of them take half a minute.
_STEP = 12


def draft(log: str, rules: RuleSet = NO_RULES) -> Draft:
    judgement = judge_events(store_of(log), rules)
    return draft_rule(judgement, lambda _lines: "", code="DRAFT001", source="a.log", labels=LABELS)


def read(made: Draft) -> Rule:
    rule, problems = read_rule(made.text.encode(), file=made.file, labels=LABELS, foreign=True)
    assert problems == ()
    assert rule is not None
    return rule


@pytest.mark.parametrize(
    "log",
    [
        f"{FRAME}acme.WidgetError: widget 17 of /data/x is odd, not even\n",
        f"{FRAME}acme.WidgetError\n",
        f"{FRAME}ValueError: {{'a': [1, (2, 3)]}} has $2.50 ^ and | too\n",
        f"{FRAME}ValueError: \x1b[31mred\x1b[0m and \x07 bell and {'x' * 500}\n",
        f"{FRAME}OSError: 名前が見つかりません\n",
        "main.cpp:3:5: error: 'widget' was not declared in this scope\n",
        "Segmentation fault (core dumped)\n",
        "FAILED: main.o\nninja: build stopped: subcommand failed.\n",
    ],
)
def test_draft_loads_and_matches_its_log(log):
    made = draft(log)
    assert try_rule(read(made), log)


def test_what_differs_from_run_to_run_is_left_open():
    rule = read(draft(f"{FRAME}acme.WidgetError: widget 17 at 0x7f00 of /data/x is 'odd'\n"))
    other = f"{FRAME}acme.WidgetError: widget 4 at 0xbeef of /other/place is 'even'\n"
    assert try_rule(rule, other)
    assert not try_rule(rule, f"{FRAME}acme.WidgetError: gadget 4\n")
    assert not try_rule(rule, f"{FRAME}acme.GadgetError: widget 17 at 0x7f00 of /data/x is 'odd'\n")


def test_the_number_of_an_error_stays():
    rule = read(draft(f"{FRAME}OSError: [Errno 999] Odd device\n"))
    assert not try_rule(rule, f"{FRAME}OSError: [Errno 5] Odd device\n")


def test_a_draft_says_that_it_is_one_and_makes_nothing_up():
    made = draft(f"{FRAME}acme.WidgetError: odd widget\n")
    rule = read(made)
    assert made.text.startswith("# A draft, made by tracelens from line 3 of a.log")
    assert rule.title.startswith("Draft: ")
    assert (rule.fixes, rule.not_helpful, rule.references, rule.matches) == ((), (), (), ())
    assert rule.examples.positive == ("acme.WidgetError: odd widget",)
    assert "TODO" not in made.text


def test_what_is_private_stays_in_the_log():
    log = f"{FRAME}acme.WidgetError: no /home/jane/w.pt for jane@example.org with token hf_{'aB3' * 12} at 10.1.2.3\n"
    made = draft(log)
    assert try_rule(read(made), log)
    for private in ("jane", "hf_", "10.1.2.3", "example.org"):
        assert private not in made.text
    assert "no /home/<user1>/w.pt for <email1>" in made.text


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=80))
def test_any_message_can_be_drafted(message):
    log = f"{FRAME}acme.WidgetError: {message}\n"
    assert try_rule(read(draft(log)), log)


def test_an_explained_log_is_refused():
    with pytest.raises(UsageError, match=r"TL101 .toolchain/cxx-missing. answers for it"):
        draft("InvalidCxxCompiler: No working C++ compiler found in torch: (None, 'g++')\n", our_rules())
    with pytest.raises(UsageError, match="no failure is in it"):
        draft("epoch 1 loss 0.5\n")


def test_a_rule_that_knows_nothing_more_specific_does_not_stand_in_the_way():
    made = draft(f"{FRAME}acme.WidgetError: odd widget\n", our_rules())
    assert "WidgetError" in made.text


@pytest.mark.parametrize("identity", sorted(all_cases())[::_STEP])
def test_any_failure_of_the_corpus_can_be_drafted_or_is_refused_with_a_reason(identity, tmp_path):
    log = read_log(str(all_cases()[identity].log), our_rules())
    judgement = judge_events(log.store, NO_RULES)
    try:
        made = draft_rule(
            judgement, log.excerpt, code="DRAFT001", source=identity, labels=load_labels(bundled_taxonomy())
        )
    except UsageError as error:
        assert "nothing to draft" in str(error) or "says nothing that a rule could look for" in str(error)  # noqa: PT017
        return
    (tmp_path / made.file).write_text(made.text)
    (rule,) = load_folders([tmp_path], labels=load_labels(bundled_taxonomy()), foreign=True)
    assert Matcher(judgement.log).matches(rule.when, rule.unless)
