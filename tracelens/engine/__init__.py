"""Events and rules in, a ranked diagnosis out.

Pure: no files, no clock, no randomness. What it needs of the raw text it asks
of a function that it is given.
"""

from __future__ import annotations
