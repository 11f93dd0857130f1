"""Fixes that change a program, as changes of our own runs; and advice that is tried on request.

``settings`` go to ``torch.compile`` and its configuration; ``remedy`` names what a
toy does in another way. The keys are the names of fixes in the rules.
"""

from __future__ import annotations

from typing import Any

from tracelens.findings import Fix, FixKind, Risk
from tracelens.record import Record

_DYNAMO = "torch._dynamo.config"


class CodeFix(Record):
    """What stands for one change of a program; ``is_fallback``: it only promises to run without compiled code."""

    settings: dict[str, Any]
    remedy: str | None = None
    is_fallback: bool = False


def _setting(name: str, value: object, module: str = _DYNAMO) -> CodeFix:
    return CodeFix(settings={"config": [[module, name, value]]})


def _remedy(name: str) -> CodeFix:
    return CodeFix(settings={}, remedy=name)


CODE_FIXES = {
    "dynamic-true": CodeFix(settings={"dynamic": True}),
    "raise-limit": CodeFix(settings={"config": [[_DYNAMO, "recompile_limit", 64]]}, remedy="raise-limit"),
    "eager-on-recompile": CodeFix(settings={"stance": "eager_on_recompile"}),
    "default-mode": CodeFix(settings={"mode": "default"}),
    "no-cudagraphs": CodeFix(settings={"mode": "default"}),
    "suppress-errors": CodeFix(settings={"config": [[_DYNAMO, "suppress_errors", True]]}, is_fallback=True),
    "aot-eager": CodeFix(settings={"backend": "aot_eager"}, is_fallback=True),
    "skip-dynamic": _setting("triton.cudagraph_skip_dynamic_graphs", value=True, module="torch._inductor.config"),
    "module-int-dynamic": _setting("allow_unspec_int_on_nn_module", value=True),
    "parameter-shapes": _setting("force_parameter_static_shapes", value=False),
    "capture-scalars": _setting("capture_scalar_outputs", value=True),
    "capture-dynamic-ops": _setting("capture_dynamic_output_shape_ops", value=True),
    **{
        name: _remedy(name)
        for name in (
            "allow-break",
            "avoid-one",
            "check",
            "clone",
            "compile-per-module",
            "cond",
            "contiguous",
            "drop-dynamic-false",
            "fixed-container",
            "fixed-rank",
            "float-to-tensor",
            "hoist-constant",
            "int-to-tensor",
            "mark-dynamic",
            "mark-step",
            "mark-unbacked",
            "maybe-mark-dynamic",
            "no-mutation",
            "one-mode",
            "one-property",
            "pad",
            "remove-constant",
            "stable-object",
            "tensor-op",
        )
    },
}

_CACHES = '"${TORCHINDUCTOR_CACHE_DIR:-/tmp/torchinductor_$USER}" "${TRITON_CACHE_DIR:-$HOME/.triton/cache}"'
_ADVICE = {
    "clear-the-cache": (f"rm -rf {_CACHES}",),
    "other-cache-dir": (
        "export TORCHINDUCTOR_CACHE_DIR=$HOME/.cache/torchinductor",
        "export TRITON_CACHE_DIR=$HOME/.cache/triton",
    ),
    "install-ninja": ("python -m pip install ninja",),
    "cxx-env": ("export CXX=$(command -v g++ || command -v clang++)",),
    "unset-cxx": ("unset CXX",),
    "cc-env": ("export CC=$(command -v gcc || command -v clang)",),
    "one-job": ("export MAX_JOBS=1",),
    "one-thread": ("export OMP_NUM_THREADS=1",),
    "no-graph-cache": ("export TORCHINDUCTOR_FX_GRAPH_CACHE=0 TORCHINDUCTOR_AUTOGRAD_CACHE=0",),
    "force-disable-caches": ("export TORCHINDUCTOR_FORCE_DISABLE_CACHES=1",),
    "disable-compile": ("export TORCH_COMPILE_DISABLE=1",),
    "unset-arch-list": ("unset TORCH_CUDA_ARCH_LIST",),
    "unset-ptxas": ("unset TRITON_PTXAS_PATH",),
    "launch-blocking": ("export CUDA_LAUNCH_BLOCKING=1",),
}


def advice(identity: str) -> Fix | None:
    """Return advice that people give, as a fix to try whether the diagnosis recommends it or not."""
    if identity in _ADVICE:
        return _fix(identity, FixKind.ENV, _ADVICE[identity])
    return _fix(identity, FixKind.CODE, ()) if identity in CODE_FIXES else None


def advice_names() -> tuple[str, ...]:
    """Return the names of all advice."""
    return tuple(sorted({*_ADVICE, *CODE_FIXES}))


def _fix(identity: str, kind: FixKind, commands: tuple[str, ...]) -> Fix:
    return Fix(
        id=identity,
        title=identity.replace("-", " "),
        kind=kind,
        commands=commands,
        risk=Risk.SAFE,
        needs_root=False,
        platform=None,
        proven=None,
    )
