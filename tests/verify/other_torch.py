"""The Pythons that tests run torch by: this one, and another that the environment names."""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

#: Such as the Python of a virtual environment with torch 2.5.1.
_VARIABLE = "TRACELENS_OTHER_PYTHON"
_OTHER = os.environ.get(_VARIABLE, "")

PYTHONS = [
    pytest.param(
        sys.executable,
        id="own torch",
        marks=pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch"),
    ),
    pytest.param(
        _OTHER,
        id="other torch",
        marks=pytest.mark.skipif(not _OTHER, reason=f"{_VARIABLE} names no Python with another torch"),
    ),
]
