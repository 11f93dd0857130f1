"""Events and rules in, a ranked diagnosis out.

Pure: no files, no clock, no randomness. What it needs of the raw text it asks
of a function that it is given.

``diagnose`` is the whole way. Events come from the ``store`` and lie ready in a ``log``,
for text by ``fields``, ``columns`` and ``lines`` (``around`` in long ones); ``own_lines``
says how far apart they are. ``match`` finds where the conditions of a rule hold (``growth``),
``judge`` says how grave each place is, ``failures`` finds what went wrong whatever the rules
say, ``rank`` puts all in order, and ``idle`` drops what excuses nothing. ``combine`` does it
for several inputs, ``documents`` for a log with artifacts beside it, ``timeline`` and
``topics`` for a trace and for a machine.

What a finding says: ``captures``, ``evidence`` (``restated``, ``raw``, ``excerpts``),
``fixes``, ``because``, ``environment``, ``pipeline``, ``user_frame``, ``fingerprint``;
``unexplained`` where no rule answers. For those who ask why: ``explain``, ``verdict``,
``condition_steps``, ``criteria``, ``trial``.
"""

from __future__ import annotations
