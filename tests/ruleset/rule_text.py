"""A sound rule as YAML text, to be made unsound in one place at a time."""

from __future__ import annotations

LABELS = ("toolchain/cxx-missing", "cache/permission", "outside/other", "none/clean")

SOUND = """\
code: TL101
name: cxx-missing
label: toolchain/cxx-missing
title: No C++ compiler
summary: Inductor looked for {compiler|a C++ compiler} and found none.
severity: fatal
confidence: certain
stage: cpp
when:
  any:
    - exception: {type: 'InvalidCxxCompiler$'}
    - said: 'No working C\\+\\+ compiler found .*\\((?P<compiler>[a-z+]+)\\)'
explanation: Inductor compiles its CPU code with a C++ compiler.
fixes:
  - id: install-gxx
    title: Install one
    kind: shell
    risk: safe
    needs_root: true
    commands:
      debian: sudo apt-get install -y g++
      any: export CXX={compiler|c++}
    proven: lab/2.13.0/fix-cxx
not_helpful:
  - advice: clearing the cache
    why: nothing was built yet.
references: [https://docs.pytorch.org/docs/stable/index.html]
matches: [lab/2.13.0/no-gxx]
rejects: [lab/2.13.0/mlp]
"""

FILE = "rules/TL101-cxx-missing.yml"


def changed(old: str, new: str) -> str:
    """Return the sound rule with one text replaced; the text must be there."""
    assert old in SOUND
    return SOUND.replace(old, new)
