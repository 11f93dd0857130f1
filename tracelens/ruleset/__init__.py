"""Rules as data: what a failure looks like in events, and what to say of it.

A rule is a YAML file. This room reads rule files strictly, proves that their
patterns run in linear time, and keeps the validated result as JSON so that a
run of ``analyze`` never imports a YAML parser.

From files: ``load`` reads folders, which ``packs`` may name, by ``read_rule`` and
``read_condition``; these read ``nodes`` of YAML through ``reading``, in the words of the
``vocabulary``, and have ``make_pattern`` prove that each pattern is ``linear``, from its
``pattern_tree``. What comes out is a ``model``, with ``patterns``, ``templates`` and
``versions``. ``spelling`` and ``as_yaml`` turn it back into what people read.

From data: ``dump`` writes what ``compiled`` reads, ``cache`` keeps it, and ``bundled`` knows
which is to be taken. Few rules have a chance in a log, so a rule is asked in steps, each
from texts that must stand in a match (``literals``): ``triggers`` have the scan of a large
log look for what it needs; a gate (``gates``) is one text of a rule, asked for all rules at
once; of a rule whose gate opens the ``sieve`` has the other texts; only then are its
conditions read and matched.
"""
