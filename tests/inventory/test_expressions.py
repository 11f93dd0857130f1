from __future__ import annotations

import ast

import pytest

from corpus.lab.inventory.expressions import Resolver
from corpus.lab.inventory.templates import Hole, flat


def resolver(**names: str) -> Resolver:
    """Return a resolver that knows some names by the source of their values, several apart by ``;``."""
    known = {name: tuple(parsed(value) for value in values.split(";")) for name, values in names.items()}
    return Resolver(known.get)


def parsed(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("'no compiler'", "no compiler"),
        ("'no ' 'compiler'", "no compiler"),
        ("'no ' + 'compiler' + name", "no compiler{}"),
        ("f'no {name} in {config.path!r}: {12}'", "no {} in {}: 12"),
        ("'no %s in %d%%' % (name, 3)", "no {} in 3%"),
        ("'no %s' % name", "no {}"),
        ("'no %(tool)s' % {'tool': name}", "no {}"),
        ("'no {} in {}'.format(name, path)", "no {} in {}"),
        ("'no {1} in {0}'.format(name, 'PATH')", "no PATH in {}"),
        ("'no {tool} in {place.dir}'.format(tool='g++', place=x)", "no g++ in {}"),
        ("textwrap.dedent('''\n    C++ compile error\n\n    Output:\n    ''').strip()", "C++ compile error Output:"),
        ("'\\n'.join(['first', name, 'last'])", "first {} last"),
        ("'\\n'.join(lines)", "{}"),
        ("str(error)", "{}"),
        ("str('known')", "known"),
        ("message.strip()", "{}"),
        ("call(1)", "{}"),
        ("f'{count + 1} sizes'", "{} sizes"),
        ("[1, 2]", "{}"),
    ],
)
def test_expression_makes_the_message(source, message):
    (template,) = resolver().resolve(parsed(source))
    assert flat(template) == message


@pytest.mark.parametrize("source", ["'yes' if flag else 'no'", "given or 'no'"])
def test_branches_give_alternatives(source):
    assert ("no",) in resolver().resolve(parsed(source))
    assert len(resolver().resolve(parsed(source))) == 2


def test_dedent_keeps_holes_where_they_stand():
    (template,) = resolver().resolve(parsed("textwrap.dedent(f'''\n    Command:\n    {cmd}\n''')"))
    assert template == ("\nCommand:\n", Hole("cmd"), "\n")


def test_names_are_followed_to_every_value_they_may_have():
    found = resolver(message="f'no {tool}';'none at all'", tool="'ninja'").resolve(parsed("message"))
    assert [flat(template) for template in found] == ["no ninja", "none at all"]


@pytest.mark.parametrize("value", ["None", "3", "compute()", "[1]"])
def test_name_stays_a_hole_where_its_value_says_less(value):
    assert resolver(message=value).resolve(parsed("message")) == ((Hole("message"),),)


def test_name_that_leads_back_to_itself_ends():
    (template,) = resolver(message="'again: ' + message").resolve(parsed("message"))
    assert flat(template) == "again: {}"


def test_record_is_put_together_as_logging_does():
    names = resolver(form="'waited %s for %s'")
    assert [flat(each) for each in names.interpolated(parsed("form"), [parsed("seconds"), parsed("'lock'")])] == [
        "waited {} for lock"
    ]


def test_items_unpack_starred_constants():
    names = resolver(**{"hints.USER": "['a', 'b']"})
    items = names.items(parsed("[*hints.USER, 'c']"))
    assert items is not None
    assert [ast.unparse(item) for item in items] == ["'a'", "'b'", "'c'"]
    assert names.items(parsed("compute()")) is None


def test_broken_format_string_is_text():
    (template,) = resolver().resolve(parsed("'{oops'.format(1)"))
    assert flat(template) == "{oops"
