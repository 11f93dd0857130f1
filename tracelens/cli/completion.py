"""``tracelens completion``: a script by which a shell completes commands, options, files and codes."""

from __future__ import annotations

import argparse

from tracelens.cli.output import write_text
from tracelens.findings import ExitCode
from tracelens.handbook.labels import CAUSES
from tracelens.handbook.modes import MODES
from tracelens.ruleset.bundled import load_ruleset
from tracelens.ruleset.load import bundled_taxonomy, load_meanings
from tracelens.ruleset.templates import fill_text

_SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe what ``completion`` takes."""
    parser.add_argument("shell", choices=_SHELLS, help="the shell that the script is for")


def run(options: argparse.Namespace) -> ExitCode:
    """Print the script."""
    # The parser is of every command, so that all of them are imported here.
    from tracelens.cli.completions.bash import bash_script
    from tracelens.cli.completions.fish import fish_script
    from tracelens.cli.completions.words import places
    from tracelens.cli.completions.zsh import zsh_script
    from tracelens.cli.parser import build_parser
    from tracelens.verify.code_fixes import advice_names

    codes = tuple((rule.code, fill_text(rule.title, {})) for rule in load_ruleset().rules)
    causes, labels = tuple(CAUSES.items()), tuple(load_meanings(bundled_taxonomy()).items())
    topics = (*codes, *causes, *labels, *((mode.name, mode.fact) for mode in MODES))
    advice = tuple((name, "") for name in advice_names())
    known = {"CODE": codes, "RULE": codes, "TOPIC": topics, "CAUSE": causes, "LABEL": labels, "ADVICE": advice}
    script = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[options.shell]
    write_text(script(places(build_parser(), known)), None)
    return ExitCode.EXPLAINED
