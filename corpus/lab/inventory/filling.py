"""Plausible values for the holes of a template, chosen by what the code calls them.

The values are the same in every run. They are ordinary: no path that says
noexec, no text of another failure, so that the message alone decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from corpus.lab.inventory.templates import Hole, Template

_INDUCTOR_DIR = "/tmp/torchinductor_jane"  # noqa: S108  # text of a log, no file
_KERNEL = "cvkd6arnmgy4s3q5hhc7n6dd7gkzc2yt5pdbm2ajzx7lgk3gtcdm"

#: In order: what the expression looks like, and what stands in the log then.
_VALUES = tuple(
    (re.compile(pattern), value)
    for pattern, value in (
        (r"^len\(|\bnum|count|ndim|\.dim\(\)$|^dim$|(^|_)n$|(^|[^a-z])(i|j|k|idx|index|axis|rank)$", "3"),
        (r"lineno|firstlineno|^line$", "41"),
        (r"returncode|exit_?code|\bstatus$", "255"),
        (r"seconds|elapsed|_s$|wait_|timeout|total_time", "62"),
        (r"total_memory|nbytes|numel|bytes|smem|required|limit|_size$|^size_hint|bitwidth|itemsize", "65536"),
        (r"sys\.version_info", "(3, 14)"),
        (r"sys\.platform|platform\.system", "linux"),
        (r"cuda_str_version|cuda_version|torch\.version\.cuda|cuda_ver", "12.4"),
        (r"hip.*version|rocm", "6.2"),
        (r"compiler_version|\.version|version", "13.2.0"),
        (r"capability|major|minor", "8"),
        (r"archs?$|arch_list|gpu_name", "90"),
        (r"'\s*'\.join\(cmd|\bcmd|command", f"g++ {_INDUCTOR_DIR}/kd/{_KERNEL}.main.cpp -O3 -shared -fPIC"),
        (r"(^|_)output(\.decode.*)?$|stderr|stdout|^log$", "see above"),
        (r"ptxas", "/opt/venv/lib/python3.11/site-packages/triton/backends/nvidia/bin/ptxas"),
        (r"fsrc|fbin", "/tmp/tmp4x1m0t2e.ptx"),  # noqa: S108  # text of a log, no file
        (r"compiler_name|compiler|cxx|\bcc\b", "g++"),
        (r"include_dir", "/usr/include/python3.11"),
        (r"lock", f"{_INDUCTOR_DIR}/locks/{_KERNEL}.lock"),
        (r"cache_dir|tmp_dir|tempdir|_dir$|directory|dirs?$", _INDUCTOR_DIR),
        (r"filename|file_name|path|file$|get_filename|lib_?file|so_?file", f"{_INDUCTOR_DIR}/kd/{_KERNEL}.py"),
        (r"device_props\.name", "Tesla P100-PCIE-16GB"),
        (r"url|link", "https://pytorch.org/docs/main/torch.compiler_troubleshooting.html"),
        (r"device", "cuda:0"),
        (r"dtype", "torch.float16"),
        (r"stride", "(256, 1)"),
        (r"shape|sizes?$|ranges", "(8, 256)"),
        (r"expr|symbol|sym$|sym_|_sym", "s0 + 1"),
        (r"source|guard", "L['x']"),
        (r"typestr|^type\(|__class__|python_type|_type$|^typ|cls|__mro__", "<class 'torch.Tensor'>"),
        (r"list\(|tuple|args?$|kwargs|inputs?$|outputs?$|values$|fields|names|keys", "[x, y]"),
        (r"backend", "my_backend"),
        (r"target|op_name|overload|\bop\b|kernel|func|fn|choice", "aten.convolution.default"),
        (r"node|proxy|gm|graph|buf", "add_3"),
        (r"__name__|name|attr|method|key", "forward"),
        (
            r"traceback|stack|format_exc|frame",
            '  File "/workspace/train.py", line 41, in forward\n    return self.net(x)\n',
        ),
        (r"^(e|err|error|exc|ex|cause)$|str\(e|repr\(e|exception|reason|msg|message|detail|suffix", "see below"),
    )
)


def fill(template: Template, given: Mapping[str, str]) -> str:
    """Return the message as it could be printed; ``given`` holds values that somebody chose."""
    return "".join(part if isinstance(part, str) else given.get(part.expression) or value_of(part) for part in template)


def value_of(hole: Hole) -> str:
    """Return a plausible value of a hole."""
    return next((value for pattern, value in _VALUES if pattern.search(hole.expression)), "x")
