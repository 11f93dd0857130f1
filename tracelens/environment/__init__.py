"""What the machine itself can tell: caches, locks, compilers, versions.

Together with ``verify`` this is the only part of tracelens that touches the
machine. Reading never changes anything; only ``sweep`` deletes.
"""
