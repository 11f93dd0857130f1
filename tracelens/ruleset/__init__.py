"""Rules as data: what a failure looks like in events, and what to say of it.

A rule is a YAML file. This room reads rule files strictly, proves that their
patterns run in linear time, and keeps the validated result as JSON so that a
run of ``analyze`` never imports a YAML parser.
"""
