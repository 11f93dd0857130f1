"""Options of the test run, and the Hypothesis profile."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

# The machines are shared and slow at times: a slow example is no failure, a wrong one is.
# One commit has one verdict; --hypothesis-seed=N tries other examples.
settings.register_profile(
    "tracelens", deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tracelens")

# A shell has what runs in its background ignore Ctrl-C, and so would every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switches that write the answers of the corpus down, and that take all of it in every disguise."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write golden.json of each corpus case; an answer that contradicts case.yml still fails",
    )
    parser.addoption(
        "--all-disguises",
        action="store_true",
        help="put every disguise on every case, not on a sample: some minutes",
    )
