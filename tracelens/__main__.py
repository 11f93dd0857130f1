"""``python -m tracelens`` is the same as ``tracelens``."""

from __future__ import annotations

import sys

from tracelens.cli import main

sys.exit(main())
