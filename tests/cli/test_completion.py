"""Completion, asked of the real shells."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import REPOSITORY, run_command, run_tracelens
from tracelens.cli.commands import COMMANDS

_SHELLS = ("bash", "zsh", "fish")
_PATIENCE = 30


def needs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")


@pytest.fixture(scope="session")
def scripts(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    for shell in _SHELLS:
        run = run_tracelens("completion", shell)
        assert (run.code, run.errors) == (0, "")
        (folder / shell).write_bytes(run.output)
    return {shell: folder / shell for shell in _SHELLS}


@pytest.mark.parametrize("shell", _SHELLS)
def test_the_shell_finds_no_fault_with_its_script(shell, scripts):
    needs(shell)
    run = run_command(shell, "-n", scripts[shell])
    assert (run.code, run.errors) == (0, "")


def in_bash(script: Path, *words: str) -> list[str]:
    ask = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _tracelens; printf "%s\\n" "${COMPREPLY[@]}"'
    run = run_command("bash", "--norc", "-c", ask, script, *words)
    return [line for line in run.output.decode().splitlines() if line]


def in_fish(script: Path, *words: str) -> list[str]:
    ask = f"source {script}; complete -C (string join -- ' ' $argv)"
    run = run_command("fish", "--no-config", "-c", ask, "--", *words)
    return [line.partition("\t")[0] for line in run.output.decode().splitlines()]


COMPLETIONS = [
    (("tracelens", ""), set(COMMANDS)),
    (("tracelens", "ex"), {"explain", "explain-match"}),
    (("tracelens", "rules", ""), {"list", "show", "lint", "test", "coverage", "new", "packs", "schema"}),
    (("tracelens", "cache", "c"), {"check", "clean"}),
    (("tracelens", "analyze", "--form"), {"--format"}),
    (("tracelens", "explain", "--format", ""), {"terminal", "json", "markdown"}),
    (("tracelens", "explain", "TL20"), {f"TL20{digit}" for digit in range(1, 10)}),
    (("tracelens", "explain", "cache/pe"), {"cache/permission"}),
    (("tracelens", "explain", "reduce"), {"reduce-overhead"}),
    (("tracelens", "explain-match", "a.log", "--rule", "TL10"), {f"TL10{digit}" for digit in range(1, 9)}),
    (("tracelens", "rules", "list", "--cause", "c"), {"cache"}),
    (("tracelens", "rules", "show", "--json", "TL20"), {f"TL20{digit}" for digit in range(1, 10)}),
    (("tracelens", "analyze", "READ"), {"README.md"}),
    (("tracelens", "analyze", "a.log", "READ"), {"README.md"}),
    (("tracelens", "analyze", "-o", "READ"), {"README.md"}),
    (("tracelens", "analyze", "--artifacts", "READ"), {"README.md"}),
    (("tracelens", "verify", "a.log", "--try", "clear"), {"clear-the-cache"}),
    (("tracelens", "completion", ""), set(_SHELLS)),
    (("tracelens", "completion", "bash", ""), set()),
]


@pytest.mark.parametrize(("words", "wanted"), COMPLETIONS, ids=[" ".join(words) for words, _ in COMPLETIONS])
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_what_can_follow_is_offered_and_nothing_else(shell, words, wanted, scripts):
    needs(shell)
    ask = in_bash if shell == "bash" else in_fish
    assert set(ask(scripts[shell], *words)) == wanted


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_only_folders_are_offered_where_a_folder_belongs(shell, scripts):
    needs(shell)
    ask = in_bash if shell == "bash" else in_fish
    offered = {word.rstrip("/") for word in ask(scripts[shell], "tracelens", "analyze", "--rules", "r")}
    assert offered == {"rules"}


def test_bash_completes_after_an_equals_sign_too(scripts):
    needs("bash")
    assert in_bash(scripts["bash"], "tracelens", "analyze", "--format", "=", "j") == ["json"]
    assert "json" in in_bash(scripts["bash"], "tracelens", "analyze", "--format", "=")


def test_bash_takes_no_file_name_for_code(scripts, tmp_path):
    needs("bash")
    (tmp_path / "$(touch ran)").write_text("x")
    offered = in_bash(scripts["bash"], "tracelens", "analyze", f"{tmp_path}/")
    assert offered == [f"{tmp_path}/$(touch ran)"]
    assert not (REPOSITORY / "ran").exists()


class _Terminal:
    """An interactive zsh on a terminal of its own."""

    def __init__(self, script: Path) -> None:
        self._terminal, inner = pty.openpty()
        env = {**os.environ, "TERM": "dumb", "PS1": "ready> ", "COLUMNS": "200", "LINES": "300"}
        shell = ["zsh", "-f", "-i", "+m"]
        self._child = subprocess.Popen(
            shell, stdin=inner, stdout=inner, stderr=inner, cwd=REPOSITORY, env=env, start_new_session=True
        )
        os.close(inner)
        self.type("unsetopt zle_bracketed_paste beep prompt_sp; autoload -U compinit; compinit -u -D\n")
        self.type(f"zstyle ':completion:*' menu no; LISTMAX=0; source {script}; stty -echo; print lo''aded\n")
        self.read_until("loaded")

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def read_until(self, wanted: str) -> str:
        read, end = "", time.monotonic() + _PATIENCE
        while wanted not in read and time.monotonic() < end:
            if select.select([self._terminal], [], [], 0.2)[0]:
                read += re.sub(
                    r"\x1b\[[0-9;?]*[A-Za-z]|\r|\x07", "", os.read(self._terminal, 65536).decode(errors="replace")
                )
        assert wanted in read, read[-2000:]
        return read

    def close(self) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._terminal)


@pytest.fixture
def zsh(scripts) -> Iterator[_Terminal]:
    needs("zsh")
    terminal = _Terminal(scripts["zsh"])
    yield terminal
    terminal.close()


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("tracelens ana", "tracelens analyze "),
        ("tracelens rules cov", "tracelens rules coverage "),
        ("tracelens explain redu", "tracelens explain reduce-overhead "),
        ("tracelens analyze --form", "tracelens analyze --format"),
        ("tracelens analyze --format j", "tracelens analyze --format json "),
        ("tracelens analyze --format=j", "tracelens analyze --format=json "),
        ("tracelens analyze READ", "tracelens analyze README.md "),
        ("tracelens explain cache/perm", "tracelens explain cache/permission"),
        ("tracelens analyze --rules ru", "tracelens analyze --rules rules/"),
    ],
)
def test_zsh_completes_what_was_typed(typed, completed, zsh):
    zsh.type(f"{typed}\t")
    # Goes to the start of the line, then to its end: what is there now is printed by zsh itself.
    zsh.type("\x01print -r -- \x05E''ND\n")
    assert completed.rstrip() in zsh.read_until("END")


def test_zsh_lists_what_can_follow(zsh):
    zsh.type("tracelens rules \t\t")
    shown = zsh.read_until("lint")
    assert "tell everything that is wrong" in shown or "tell everything" in zsh.read_until("tell everything")
