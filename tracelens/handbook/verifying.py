"""How to make sure that a fix has worked, by cause."""

from __future__ import annotations

from tracelens.handbook.topic import Block, command, prose

_AGAIN = (
    prose("Run the same program again, keep what it prints, and have that read too. The finding has to be gone:"),
    command("python your_script.py > after.log 2>&1; tracelens analyze after.log --exit-on-failure"),
)
_SMALLEST = "import torch; print(torch.compile(lambda x: x.sin() + 1)(torch.ones(8)))"

_FIRST: dict[str, tuple[Block, ...]] = {
    "toolchain": (
        prose("Compile the smallest thing there is, with a cache that is empty; on a GPU add device='cuda' to ones():"),
        command(f'TORCHINDUCTOR_CACHE_DIR=$(mktemp -d) python -c "{_SMALLEST}"'),
    ),
    "cache": (
        prose("No entry of the caches may be broken any more:"),
        command("tracelens cache check"),
    ),
    "dynamic-shapes": (
        prose("After the first few steps torch may not recompile any more, nor reach its limit:"),
        command("TORCH_LOGS=recompiles python your_script.py 2>&1 | tee after.log | grep -c Recompiling"),
    ),
    "abi": (
        prose("Look at which versions meet in this environment, and load what was refused:"),
        command("python -m torch.utils.collect_env"),
    ),
}


def how_to_verify(label: str) -> tuple[Block, ...]:
    """Return what to do after a fix; nothing for what needs none."""
    cause = label.partition("/")[0]
    return () if cause == "none" else (*_FIRST.get(cause, ()), *_AGAIN)
