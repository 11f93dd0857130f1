from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.lab.inventory.templates import MAX_ALTERNATIVES, Hole, concatenated, digest, flat, is_opaque, joined, text


def test_flat_template_shows_holes_as_braces_and_single_blanks():
    assert flat(("No compiler\n   found in ", Hole("config.cxx"), ": ", Hole("name"))) == "No compiler found in {}: {}"


def test_hash_passes_over_what_a_release_changes_without_saying_anything_else():
    once = ("waited ", Hole("wait_seconds"), " of 60 s\n  for ", Hole("self.lock"))
    again = ("waited ", Hole("elapsed"), " of 300 s for ", Hole("lock_path"))
    assert digest(once) == digest(again)


def test_hash_tells_different_messages_apart():
    assert digest(("lock not found",)) != digest(("lock not held",))
    assert digest(("a", Hole("x"))) != digest(("a",))


def test_neighbouring_texts_become_one_and_empty_ones_go():
    assert joined(["a", "", "b", Hole("x"), "c", "d"]) == ("ab", Hole("x"), "cd")


def test_alternatives_multiply_up_to_a_bound():
    pair = (text("a"), text("b"))
    assert concatenated([pair, (text("-"),), pair]) == (("a-a",), ("a-b",), ("b-a",), ("b-b",))
    assert len(concatenated([pair] * 10)) == MAX_ALTERNATIVES


def test_template_without_a_letter_is_opaque():
    assert is_opaque((Hole("message"), ": ", Hole("x")))
    assert is_opaque(())
    assert not is_opaque((Hole("x"), " not found"))


@given(st.lists(st.one_of(st.text(max_size=8), st.text(min_size=1, max_size=8).map(Hole)), max_size=6))
def test_any_template_has_one_spelling_and_one_hash(parts):
    template = joined(parts)
    assert digest(template) == digest(joined(parts))
    assert "  " not in flat(template)
