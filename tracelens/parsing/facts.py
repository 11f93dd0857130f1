"""Facts about the machine that a log lets slip: versions, platform, hardware.

Names are those of ``environment`` in the answer: torch, triton, cuda, python,
os, gpu, driver, compiler, package_manager. A fact is read only where the log
states it; nothing is inferred from what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_VERSION = r"\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?:(?:a|b|rc|\.dev|\.post)\d{0,12})?(?:\+[\w.]{1,60})?"

#: name of the fact, pattern whose first group is the value
_STATED: tuple[tuple[str, str], ...] = (
    ("torch", rf"(?:- )?(?:\*\*)?(?:PyTorch|Torch|torch|PyTorch version|Torch version)(?: version)?(?:\*\*)?(?:\s?:(?:\*\*)?|\s?=|==|\s\(GPU\?\):)?\s{{1,6}}v?({_VERSION})"),
    ("torch", rf"(?:torch\.__version__|torch_version)['\"]?\s?[:=]{{0,2}}\s?['\"]?({_VERSION})"),
    ("torch", rf"torch==({_VERSION})"),
    ("triton", rf"(?:- )?(?:\[pip3?\] |\[conda\] )?(?:pytorch-)?triton(?:-rocm|-windows|-xpu)?(?:==|\s?[:=]\s?|\s{{1,40}})v?({_VERSION})"),
    ("triton", rf"triton\.__version__\s?[:=]{{0,2}}\s?['\"]?({_VERSION})"),
    ("python", r"Python version\s?: ?(\d\.\d{1,2}(?:\.\d{1,3})?\S{0,4})"),
    ("python", r"(?:- )?(?:\*\*)?Python(?:\*\*)?(?:\s?:(?:\*\*)?)? (\d\.\d{1,2}(?:\.\d{1,3})?\S{0,4})\b"),
    ("cuda", r"CUDA used to build PyTorch: (\d{1,2}\.\d{1,2})"),
    ("cuda", r"CUDA_VERSION=(\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)"),
    ("os", r"OS: (\S.{2,120})"),
    ("os", r"PRETTY_NAME=\"([^\"\n]{3,100})\""),
    ("gpu", r"(?:GPU \d{1,3}: |GPU models and configuration: (?:GPU 0: )?)((?:NVIDIA|AMD|Intel|Tesla|GeForce|Quadro|RTX|A\d|H\d|L\d).{1,80}?)(?: \(UUID.*)?\s*\Z"),
    ("driver", r"Nvidia driver version: (\d{2,4}\.\d{1,3}(?:\.\d{1,3})?)"),
    ("compiler", r"GCC version: (\(.{1,80}\) \d{1,2}\.\d{1,2}\.\d{1,2}|\d{1,2}\.\d{1,2}\.\d{1,2})"),
)

#: Matches a line that states a fact; the caller writes ``^`` before it.
FACT_PATTERN: str = (
    r"(?:(?:- )?(?:\*\*)?(?:PyTorch|Python|CUDA|cuDNN|OS|GCC|Clang|Libc|CMake|GPU|Nvidia driver|Triton)\b(?: used to build PyTorch)?"
    r"(?: version| runtime version| models and configuration| platform| \d{1,3})?(?:\*\*)?\s?[:=]"
    r"|torch(?:\.__version__|==| \d)|triton(?:\.__version__|==|[ :]{1,40}\d)|PRETTY_NAME=|CUDA_VERSION=)"
)


@cache
def _stated() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(r"\s{0,20}" + pattern)) for name, pattern in _STATED)


def read_facts(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the facts that these lines state, each once, in their order."""
    facts: dict[tuple[str, str], None] = {}
    for line in lines:
        for name, pattern in _stated():
            match = pattern.match(line)
            if match:
                facts.setdefault((name, match.group(1).strip()))
                break
    return tuple(facts)


@cache
def _python_directory() -> re.Pattern[str]:
    return re.compile(r"[\\/](?:lib[\\/])?python(3\.\d{1,2})[\\/]", re.IGNORECASE)


@cache
def facts_of_path(path: str) -> tuple[tuple[str, str], ...]:
    """Return what the path of a stack frame tells of the machine."""
    facts: list[tuple[str, str]] = []
    match = _python_directory().search(path)
    if match:
        facts.append(("python", match.group(1)))
    return tuple(facts)
