"""A rule's fixes, fitted to the platform that the log shows.

Of the commands that a fix knows, those for the log's own platform are taken;
without root where there is a choice. Where the log is silent, commands for
any platform come first, then those of the commonest container images. A fix
that has nothing for the platform that the log shows is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from tracelens.engine.environment import Machine
from tracelens.findings import Fix
from tracelens.ruleset.model import FixTemplate, Rule
from tracelens.ruleset.templates import fill_command, fill_text

_WHERE_SILENT = ("any", "debian", "fedora", "conda", "alpine", "arch", "suse", "macos", "windows")
_LINUX = ("debian", "fedora", "alpine", "arch", "suse")
#: Platforms on which what needs root elsewhere is done as the user.
_WITHOUT_ROOT = ("conda", "macos", "windows")


def fit_fixes(rule: Rule, captures: Mapping[str, str], machine: Machine) -> tuple[Fix, ...]:
    """Return the fixes of a rule that fit the machine, in the order of the rule."""
    fitted = (_fit(template, captures, machine) for template in rule.fixes)
    return tuple(fix for fix in fitted if fix)


def _fit(template: FixTemplate, captures: Mapping[str, str], machine: Machine) -> Fix | None:
    commands = dict(template.commands)
    platform = next((name for name in _preferred(machine.platforms) if name in commands), None)
    if platform is None:
        return None
    lines = tuple(fill_command(line, captures, template.kind) for line in commands[platform])
    if machine.is_root:
        lines = tuple(line.removeprefix("sudo ") for line in lines)
    return Fix(
        id=template.id,
        title=fill_text(template.title, captures),
        kind=template.kind,
        commands=lines,
        risk=template.risk,
        needs_root=template.needs_root and platform not in _WITHOUT_ROOT,
        platform=None if platform == "any" else platform,
        proven=template.proven,
    )


def _preferred(platforms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the platforms whose commands may be given, best first."""
    if not platforms:
        return _WHERE_SILENT
    known = tuple(name for name in platforms if name != "linux")
    if set(known) - {"conda"}:
        return (*known, "any")
    # Conda runs everywhere, and Linux is many systems: neither says which one it is.
    return (*known, "any", *_LINUX)
