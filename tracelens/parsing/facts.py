"""Facts about the machine that a log lets slip: versions, platform, hardware.

The names are those of ``environment`` in the answer (torch, triton, cuda,
python, os, gpu, driver, compiler, package_manager) and a few that tell apart
what is often confused: ``cuda`` is the CUDA that torch was built for,
``cuda_toolkit`` the nvcc on the machine, ``driver_cuda`` the newest CUDA the
driver can run. A fact is read only where the log states it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracelens.expressions import compiled
from tracelens.typed import cache

_VERSION = r"\d{1,2}\.\d{1,2}(?:\.\d{1,3})?(?:(?:a|b|rc|\.dev|\.post)\d{0,12})?(?:\+[\w.]{1,40})?"
_SHORT = r"\d{1,2}\.\d{1,2}(?:\.\d{1,4})?"
_PYTHON = r"(?:3\.\d{1,2}|2\.7)(?:\.\d{1,2})?(?:(?:a|b|rc)\d{1,2}|\+)?"
# "torch: 2.5", "torch = 2.5", "torch==2.5", "torch 2.5", "**PyTorch:** 2.5", "torch_version": "2.5"
_IS = r"(?=[\s:=*`'\"(])(?:\*\*|`|['\"])?\s{0,40}(?:\(GPU\?\))?(?:[:=]{1,2}(?:\*\*)?)?\s{0,40}['\"]?v?"
_GPU = r"(?:NVIDIA|AMD|Intel|Tesla|GeForce|Quadro|RTX|Apple M)\b.{0,80}?"

# "PyTorch 2.6 is required" speaks of no version on this machine.
_NO_PROSE = r"(?![\w.])(?! (?:or|and|is|was|has|does|do|required|requires|introduced|added|only)\b)"

#: name of the fact and pattern whose first group is its value; a name of two
#: words has two groups
_STATED: tuple[tuple[str, str], ...] = (
    ("torch", rf"(?:[Pp]y[Tt]orch|[Tt]orch)`?(?:[ _][Vv]ersion)?{_IS}({_VERSION}){_NO_PROSE}"),
    ("torch", rf"(?:torch\.__version__|\"torch_version\"|PYTORCH_VERSION|TORCH_VERSION){_IS}({_VERSION})"),
    ("torch", rf"(?:Ultralytics|YOLO).{{0,80}}? torch-({_VERSION})"),
    (
        "torch",
        r"([1-9]\.\d{1,2}\.\d{1,2}(?:\.dev\d{8}|a0)?\+(?:cu\d{2,3}|cpu|rocm[\d.]{1,6}|xpu|git\w{7,40}))(?:\s|\Z)",
    ),
    ("torch", rf"Requirement already satisfied: torch\b.{{0,300}} \(({_VERSION})\)"),
    (
        "triton",
        rf"(?:pytorch-)?[Tt]riton(?:-rocm|-windows|-xpu)?(?:\.__version__| version)?{_IS}({_VERSION}){_NO_PROSE}",
    ),
    (
        "vllm",
        r"(?:vLLM (?:API server )?version|Initializing an? (?:V\d )?LLM engine \() ?v?(\d{1,2}\.\d{1,3}[\w.+]{0,30})",
    ),
    ("cuda", rf"(?:CUDA used to build PyTorch: |torch\.version\.cuda{_IS})({_SHORT})"),
    ("rocm", rf"(?:ROCM used to build PyTorch: |torch\.version\.hip{_IS})({_SHORT})"),
    (
        "driver driver_cuda",
        rf"\| NVIDIA-SMI .{{0,60}}?Driver Version: ([\d.]{{5,12}}).{{0,20}}?CUDA Version: ({_SHORT})",
    ),
    ("driver_cuda", r"CUDA Version: (\d{1,2}\.\d{1,2}) {2,}\|"),
    ("cuda_toolkit", rf"(?:CUDA runtime version: |CUDA_VERSION=|Cuda compilation tools, release )({_SHORT})"),
    ("cuda_toolkit", rf"CUDA_(?:HOME|PATH)(?: ?[=:] ?| is )['\"]?\S{{0,200}}?cuda-({_SHORT})"),
    ("cuda_toolkit cuda", rf"The detected CUDA version \(({_SHORT})\) mismatches(?:.{{0,80}}PyTorch \(({_SHORT})\))?"),
    ("cuda", rf"PyTorch \(({_SHORT})\)\. Please make sure"),
    ("cuda", rf"(?:CUDA|cuda|Cuda)(?: [Vv]ersion)?(?: \(PyTorch\))?{_IS}({_SHORT}){_NO_PROSE}"),
    ("python os", rf"(?:Python|python)(?: [Vv]ersion)?{_IS}({_PYTHON}){_NO_PROSE}(?:.{{0,120}}?\[(MSC) v\.)?"),
    ("python", rf"(?:Python-|PYTHON_VERSION=|Using Python )({_PYTHON}){_NO_PROSE}"),
    ("python", rf"(?:Ultralytics|YOLO).{{0,80}}?Python-({_PYTHON}) "),
    ("os python", rf"platform (linux|win32|darwin)\S{{0,3}} -- Python ({_PYTHON})"),
    (
        "os",
        (
            r"(?:OS|Operating System|(?:Python p|P)latform|Distribution|Description)(?:\*\*)?\s?[:=](?:\*\*)?\s{1,20}"
            r"(\S.{2,100})"
        ),
    ),
    ("os", r"PRETTY_NAME=\"?([^\"\n]{3,80})"),
    ("os", r"(Linux \S{1,80} \d\.\d{1,2}\S{0,60} .{0,100})"),
    ("os", r"((?:Windows-\d|Linux-\d|macOS-\d)\S{1,100})\s*\Z"),
    ("os", r"(Microsoft Windows \[Version [\d.]{5,20}\])"),
    ("os", r"Image: ((?:ubuntu|windows|macos)-[\w.]{2,20})\s*\Z"),
    (
        "gpu",
        (
            rf"(?:GPU models and configuration: )?GPU(?: \d{{1,3}})?(?: [Nn]ame| [Tt]ype)?(?:\*\*)?:(?:\*\*)? "
            rf"({_GPU})(?: \(UUID.*)?\s*\Z"
        ),
    ),
    ("gpu", rf"\|\s{{1,6}}\d{{1,3}}\s{{1,4}}({_GPU})\s{{2,40}}(?:On|Off|WDDM|TCC|N/A|ERR!)\b"),
    ("gpu", rf"(?:Device|Using device|Device name): (?:cuda:\d{{1,2}} )?({_GPU})(?: : \w{{1,30}})?\s*\Z"),
    ("gpu", rf"(?:Ultralytics|YOLO).{{0,160}}? CUDA:\d \(({_GPU}), \d{{1,8}}MiB\)"),
    (
        "driver",
        (
            r"(?:Nvidia driver version|NVIDIA [Dd]river(?: [Vv]ersion)?|Driver Version)\s?[:=] ?"
            r"(\d{3}\.\d{1,3}(?:\.\d{1,3})?)"
        ),
    ),
    ("driver", r"NVRM version: .{0,100}? (\d{3}\.\d{1,3}(?:\.\d{1,3})?) "),
    (
        "gcc",
        (
            r"(?:GCC version:(?: \(.{1,80}\))?|gcc version|(?:\S{0,40}-)?g(?:cc|\+\+)(?:-\d{1,2})? \(.{1,80}\)) "
            r"(\d{1,2}\.\d{1,2}\.\d{1,2})"
        ),
    ),
    ("gcc", r"The C(?:XX)? compiler identification is GNU (\d{1,2}\.\d{1,2}\.\d{1,2})"),
    ("clang", r"(?:Apple |Ubuntu |Debian )?[Cc]lang version:? (\d{1,2}\.\d{1,2}\.\d{1,2})"),
    ("clang", r"The C(?:XX)? compiler identification is (?:Apple)?Clang (\d{1,2}\.\d{1,2}\.\d{1,2})"),
    (
        "msvc",
        (
            r"(?:Microsoft \(R\) C/C\+\+ Optimizing Compiler Version |The C(?:XX)? compiler identification is MSVC )"
            r"(\d{2}\.\d{2}[\d.]{0,12})"
        ),
    ),
    ("conda", r"(# packages in environment at|\s{1,8}active environment : )"),
)

_BULLET = r"(?:--? {0,4}|\*\* |[*\u2022>] {0,4}|\[(?:pip3?|conda)\] )?"
_SYSTEMS = {"linux": "Linux", "win32": "Windows", "MSC": "Windows", "darwin": "macOS"}
_UNKNOWN = frozenset({"Could not collect", "N/A", "None"})
_COMPILERS = {"gcc": "GCC", "clang": "Clang", "msvc": "MSVC"}

#: Matches a line that may state a fact; the caller writes ``^`` before it.
FACT_PATTERN: str = (
    rf"(?:{_BULLET}(?:\*\*|`|\")?(?:"
    r"(?:[Pp]y)?[Tt]orch(?=[ :=*`_\"]|-triton|\.__v|\.version\.(?:cuda|hip))[^\n]{0,80}?\d\.\d"
    r"|[Tt]riton(?=[ :=*`]|-rocm|-win|-xpu|\.__v)[^\n]{0,60}?\d\.\d"
    r"|[Pp]ython(?:[ :=*`-]|_VERSION)[^\n]{0,40}?(?:3\.\d|platform)|(?:PY)?TORCH_VERSION|PYTHON_VERSION="
    r"|(?:CUDA|Cuda|cuda|ROCM)(?=[ _:=*])[^\n]{0,80}?\d\d?\.\d"
    r"|(?:OS|Platform|Operating System|Distribution|Description)\W"
    r"|GPU(?: \d| models| [Nn]ame| [Tt]ype|:)|(?:Using d|D)evice(?: name)?: |(?:Nvidia|NVIDIA|NVRM) |Driver Version"
    r"|(?:GCC|gcc|[Cc]lang|Apple clang|Ubuntu clang|Debian clang) version|\S{0,40}g(?:cc|\+\+)(?:-\d{1,2})? \("
    r"|vLLM |Initializing an? "
    r"|The C(?:XX)? compiler identification|Microsoft |Requirement already satisfied: torch\b)"
    r"|\| NVIDIA-SMI|\|\s{1,6}\d{1,3}\s{1,4}(?:NVIDIA|AMD|Tesla|GeForce|Quadro)"
    r"|Linux \S{1,80} \d\.|(?:Windows|Linux|macOS)-\d"
    r"|[1-9]\.\d{1,2}\.\d{1,2}(?:\.dev\d{8}|a0)?\+(?:cu|cpu|rocm|xpu|git)|Image: [uwm]|PRETTY_NAME=|Using Python \d"
    r"|platform (?:linux|win32|darwin)|The detected CUDA|# packages in env|Ultralytics|YOLO|Name: (?:torch|triton)$)"
)


@cache
def _stated() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    return tuple((tuple(name.split()), compiled(pattern)) for name, pattern in _STATED)


def read_facts(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the facts that these lines state, each once, in their order."""
    facts: dict[tuple[str, str], None] = {}
    shown: str | None = None
    for line in lines:
        text = line.rstrip()
        package = compiled(r"\s{0,8}(Name|Version): (\S{1,60})\Z").match(text)
        if package:
            # pip show prints name and version on two lines
            if package[1] == "Name":
                shown = package[2]
            elif shown in {"torch", "triton"}:
                facts.update(dict.fromkeys(_enriched(shown, package[2])))
                shown = None
            continue
        if "[conda]" in text:
            facts.setdefault(("package_manager", "conda"))
        bullet = compiled(rf"\s{{0,24}}{_BULLET}(?:\*\*|`)?").match(text)
        for names, pattern in _stated():
            match = pattern.match(text, bullet.end() if bullet else 0)
            if match:
                for name, value in zip(names, match.groups(), strict=False):
                    facts.update(dict.fromkeys(_enriched(name, value.strip()) if value else ()))
                if names[0] not in {"torch", "python"} or "Ultralytics" not in text:
                    break
    return tuple(facts)


_BUILD = r"\+(cu|rocm)(\d[\d.]{1,6})"


def _enriched(name: str, value: str) -> tuple[tuple[str, str], ...]:
    """Return a fact with what its value implies, under the names of the answer."""
    if name in _COMPILERS:
        return (("compiler", f"{_COMPILERS[name]} {value}"),)
    if name == "conda":
        return (("package_manager", "conda"),)
    if name == "os":
        return () if value in _UNKNOWN else (("os", _SYSTEMS.get(value, value)),)
    build = compiled(_BUILD).search(value) if name == "torch" else None
    if build is None:
        return ((name, value),)
    if build[1] == "rocm":
        return ((name, value), ("rocm", build[2]))
    digits = build[2].rstrip(".")
    return ((name, value), ("cuda", f"{digits[:-1]}.{digits[-1]}"))
