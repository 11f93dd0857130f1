"""A fault is made, tracelens names it, its fix is applied as offered, and the program runs."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace

import pytest

from corpus.faults import faults_outside, faults_shapes, faults_toolchain
from corpus.faults.doctor import advise
from corpus.faults.model import Fix
from corpus.faults.room import why_no_room
from corpus.faults.trial import Lab

MISSING = why_no_room() or (None if importlib.util.find_spec("torch") else "no torch")
pytestmark = [
    pytest.mark.skipif(MISSING is not None, reason=str(MISSING)),
    pytest.mark.skipif(sys.platform != "linux", reason="rooms need Linux"),
]
OFFERED = Fix(id="disable-compile", helps=True)
CLEAR = faults_shapes.CLEAR


def known(faults, name, *fixes):
    """Return a fault with these of its fixes, and from an empty room."""
    fault = next(fault for fault in faults if fault.name == name)
    chosen = [fix for fix in fault.fixes if fix.id in fixes]
    return replace(fault, start="bare", prepare=(), fixes=tuple(chosen))


NO_COMPILER = replace(
    known(faults_toolchain.FAULTS, "gxx-off-path"),
    inject=("path_without g++ 'g++-*' 'x86_64-linux-gnu-g++*' c++ 'clang++*'",),
    fixes=(OFFERED, CLEAR),
)
FAULTS = (
    NO_COMPILER,
    known(faults_shapes.FAULTS, "data-branch", "cond"),
    known(faults_outside.FAULTS, "backend-typo", "suppress-errors"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_is_named_and_only_its_fix_helps(fault, tmp_path):
    lab = Lab(tmp_path, (), lambda _name, _run: None)
    outcome = lab.attempt(fault, advise)
    assert outcome.problem is None
    assert outcome.answer == fault.label
    assert {pair.fix: pair.helped for pair in outcome.pairs} == {fix.id: fix.helps for fix in fault.fixes}
