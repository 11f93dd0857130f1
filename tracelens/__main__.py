"""``python -m tracelens`` is the same as ``tracelens``."""

import sys

from tracelens.cli import main

sys.exit(main())
