"""What no linter checks: sizes, imports that stand alone, and what a small run loads."""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path

import pytest

from tests.command import CORPUS, REPOSITORY, run_command
from tracelens.cli.formats import FORMATS

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
SOURCES = sorted(
    file
    for pattern in ("*.py", "tracelens/**/*.py", "tests/**/*.py", "bench/*.py", "corpus/**/*.py")
    for file in REPOSITORY.glob(pattern)
    if not file.is_relative_to(REPOSITORY / "corpus/artifacts")
)
#: These run in a child process, on a Python that has torch.
WITH_TORCH = {
    file
    for file in REPOSITORY.glob("tracelens/verify/**/*.py")
    if "\nimport torch\n" in file.read_text(encoding="utf-8")
}
MODULES = sorted(
    ".".join(file.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
    for file in REPOSITORY.glob("tracelens/**/*.py")
    if file.name != "__main__.py" and file not in WITH_TORCH
)
#: Too slow to start, or too large, for an answer that needs none of them.
HEAVY = {"cattrs", "hyperscan", "lark", "numpy", "re2", "rich", "torch", "yaml", "zstandard"}

#: Of the standard library: each costs a start what no small log is worth.
SLOW = {
    "argparse",
    "asyncio",
    "dataclasses",
    "gettext",
    "hashlib",
    "inspect",
    "locale",
    "multiprocessing",
    "pathlib",
    "random",
    "tempfile",
    "typing",
    "urllib",
}


def name_of(file: Path) -> str:
    return file.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("file", SOURCES, ids=name_of)
def test_file_is_short_enough_to_read_in_one_go(file):
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines < MAX_FILE_LINES


@pytest.mark.parametrize("file", SOURCES, ids=name_of)
def test_functions_are_short_enough_to_see_at_once(file):
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 >= MAX_FUNCTION_LINES
    }
    assert long == {}


@pytest.mark.parametrize("package", ["engine", "parsing", "ruleset", "scan", "source"])
def test_a_package_of_many_modules_says_where_to_look(package):
    folder = REPOSITORY / "tracelens" / package
    guide = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    modules = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"``(\w+)``", guide)) - {"analyze", "parse_strand"} == modules


#: Imports each module in a process of its own; a fork of one that imported nothing costs a tenth of a start.
_IMPORT_EACH = """
import os, sys
for module in sys.argv[1:]:
    child = os.fork()
    if not child:
        __import__(module)
        sys.exit()
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        print(module)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_every_module_imports_alone_without_a_warning():
    run = run_command(sys.executable, "-W", "error", "-c", _IMPORT_EACH, *MODULES)
    assert (run.code, run.output.decode(), run.errors) == (0, "", "")


def loaded_modules(report: str) -> set[str]:
    """Return the top-level modules in the output of ``-X importtime``."""
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in report.splitlines() if "|" in line}


@pytest.mark.parametrize("format_name", ["json", "terminal"])
def test_small_log_loads_nothing_heavy(format_name, tmp_path):
    log = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "FORCE_COLOR": "1",
    }
    command = [sys.executable, "-X", "importtime", "-m", "tracelens", "analyze", str(log), "--format", format_name]
    # The first run of a checkout has to read the rules and write its caches.
    assert run_command(*command, env=env).code == 0
    warm = run_command(*command, env=env)
    assert warm.code == 0
    assert "tracelens" in loaded_modules(warm.errors)
    assert loaded_modules(warm.errors) & (HEAVY | SLOW) == set()
    # Nor does it pay for what others are shown.
    loaded = {line.rpartition("|")[2].strip() for line in warm.errors.splitlines()}
    formats = {f"tracelens.report.as_{name}" for name in (*FORMATS, "terminal")}
    assert loaded & (formats | {"tracelens.redaction", "tracelens.cli.reports"}) == {
        f"tracelens.report.as_{format_name}"
    }
