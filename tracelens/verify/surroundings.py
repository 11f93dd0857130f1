"""The environment of a child: the user's, without what would write, phone home or give secrets away.

Variables of torch, Triton and Python are taken out but for those that can be
the fault itself: tools and libraries that they name. Everything that is ever
written goes to places that the caller sets.
"""

from __future__ import annotations

import re
import site
from collections.abc import Mapping

#: Read or write somewhere, change what is compiled, or connect to something.
_FOREIGN = re.compile(
    r"(?:TORCH|PYTORCH|TRITON|PYTHON|INDUCTOR|AOT_INDUCTOR|COMPILE|DYNAMO|FUNCTORCH|VLLM|LD_PRELOAD$|LD_AUDIT$"
    r"|TMP$|TEMP$|TMPDIR$|HOME$|XDG_|CUDA_CACHE_|CUDA_LAUNCH_BLOCKING$|NCCL_|RANK$|LOCAL_RANK$|WORLD_SIZE$|MASTER_)"
)
_SECRET = re.compile(r"(?i)token|secret|passw|credential|api_?key|private_?key|^AWS_|^SSH_|^GPG_|_PROXY$")
#: Name a tool or a library, or say for which GPU is built: each can be what is wrong.
_TOOLS = frozenset(
    {
        "TRITON_PTXAS_PATH",
        "TRITON_PTXAS_BLACKWELL_PATH",
        "TRITON_CUOBJDUMP_PATH",
        "TRITON_NVDISASM_PATH",
        "TRITON_LIBCUDA_PATH",
        "TRITON_CUDACRT_PATH",
        "TRITON_CUDART_PATH",
        "TRITON_CUPTI_PATH",
        "TRITON_LIBDEVICE_PATH",
        "TRITON_HIP_LLD_PATH",
        "TORCH_CUDA_ARCH_LIST",
        "TORCH_DONT_CHECK_COMPILER_ABI",
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS",
    }
)
#: What keeps a run small: no pool of workers, no header of 150 MB, no files of bytecode.
_PINNED = {
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
    "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}


def child_environment(
    environ: Mapping[str, str], kept: frozenset[str], *, unpinned: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Return what a child inherits; ``kept`` are variables of torch that a fix set, or that are the fault.

    ``unpinned`` are settings of ours that stay as the user or torch has them.
    """
    chosen = {
        name: value
        for name, value in environ.items()
        if name in kept or ((name in _TOOLS or not _FOREIGN.match(name)) and not _SECRET.search(name))
    }
    chosen |= {name: value for name, value in _PINNED.items() if name not in kept and name not in unpinned}
    # Packages that a user installed for himself are found by HOME, which the child has another one of.
    chosen.setdefault("PYTHONUSERBASE", site.getuserbase())
    return chosen
