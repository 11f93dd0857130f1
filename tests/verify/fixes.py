"""Fixes for tests, as a rule would give them."""

from __future__ import annotations

from tracelens.findings import Fix, FixKind, Risk


def shell_fix(*commands, identity="a-fix", kind=FixKind.ENV):
    return Fix(
        id=identity,
        title="A fix",
        kind=kind,
        commands=commands,
        risk=Risk.SAFE,
        needs_root=False,
        platform=None,
        proven=None,
    )
