"""Whatever COLUMNS holds, there is an answer."""

from __future__ import annotations

import os

import pytest

from tests.command import CORPUS, run_tracelens

_LOG = CORPUS / "lab/2.13.0/so-zero/input.log"


@pytest.mark.parametrize("columns", ["", "abc", "0", "1", "-5", "\u0663", "\u00b2", "9" * 5000])
def test_any_columns_give_help_and_an_answer(columns):
    env = {**os.environ, "COLUMNS": columns}
    for arguments in (("--help",), ("analyze", "--help"), ("analyze", _LOG)):
        run = run_tracelens(*arguments, env=env)
        assert (run.code, run.errors) == (0, "")
        assert run.output
