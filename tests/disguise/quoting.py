"""What people put around a log when they report it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.disguise.disguise import Disguise, each_line

_TEMPLATE_HEAD = """### 🐛 Describe the bug

My training stops after the update. It worked last week, and I did not change anything. Is this a known problem?

### Error logs
"""
_TEMPLATE_TAIL = """
### Minified repro

_No response_

### Versions
"""
_COLLECT_ENV = """Collecting environment information...
PyTorch version: 2.6.0+cu124
Is debug build: False
CUDA used to build PyTorch: 12.4
ROCM used to build PyTorch: N/A

OS: Ubuntu 22.04.5 LTS (x86_64)
GCC version: (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0
Clang version: Could not collect
CMake version: version 3.31.4
Libc version: glibc-2.35

Python version: 3.11.11 (main, Dec  4 2024, 08:55:07) [GCC 11.4.0] (64-bit runtime)
Python platform: Linux-5.15.0-130-generic-x86_64-with-glibc2.35
Is CUDA available: True
CUDA runtime version: 12.4.131
GPU models and configuration: GPU 0: NVIDIA A100-SXM4-80GB
Nvidia driver version: 550.127.05
cuDNN version: Could not collect
HIP runtime version: N/A
MIOpen runtime version: N/A
Is XNNPACK available: True

Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.6.0
[pip3] triton==3.2.0
[conda] Could not collect"""


def _fenced(lines: Sequence[str], _random: Random) -> list[str]:
    return ["Here is what I get:", "", "```python-traceback", *lines, "```", "", "Any idea? Thanks in advance!"]


def _issue(lines: Sequence[str], _random: Random) -> list[str]:
    return [*_TEMPLATE_HEAD.split("\n"), "```", *lines, "```", *_TEMPLATE_TAIL.split("\n"), *_COLLECT_ENV.split("\n")]


def _without_fence(lines: Sequence[str], _random: Random) -> list[str]:
    return [*_TEMPLATE_HEAD.split("\n"), *lines, *_TEMPLATE_TAIL.split("\n")]


def _below_environment(lines: Sequence[str], _random: Random) -> list[str]:
    return [*_COLLECT_ENV.split("\n"), "", *lines]


def _details(lines: Sequence[str], _random: Random) -> list[str]:
    return ["<details>", "<summary>full log</summary>", "", "<pre>", *lines, "</pre>", "</details>"]


DISGUISES: tuple[Disguise, ...] = (
    Disguise(name="fenced", change=_fenced),
    Disguise(name="issue template", change=_issue),
    Disguise(name="issue without a fence", change=_without_fence),
    Disguise(name="below collect_env", change=_below_environment),
    Disguise(name="details", change=_details),
    each_line("quoted in a mail", lambda _i, line: f"> {line}", least=4),
    each_line("quoted twice", lambda _i, line: f"> > {line}", least=4),
    each_line("inside pip's block", lambda _i, line: f"      {line}", least=4),
)
