"""Faults that need an NVIDIA GPU, Triton 3.6 and nvcc.

The machine that has the GPU has no tracelens, so each command is written out here.
"""

from __future__ import annotations

from corpus.faults.model import Fault, Fix

CLEAR_ALL = Fix(id="delete-caches", helps=False, run=('rm -rf "$CACHE"/* ~/.triton/cache',))
CLEAR_TRITON = Fix(id="clear-triton-cache", helps=False, run=("rm -rf ~/.triton/cache",))
SUPPRESS = ("export TORCHDYNAMO_SUPPRESS_ERRORS=1",)
DISABLE = Fix(id="disable-compile", helps=True, run=("export TORCH_COMPILE_DISABLE=1",))
OTHER_CACHE = Fix(
    id="other-cache-dir",
    helps=True,
    run=("export TORCHINDUCTOR_CACHE_DIR=$HOME/.cache/torchinductor", "export TRITON_CACHE_DIR=$HOME/.cache/triton"),
)
OTHER_TRITON_CACHE = Fix(
    id="other-triton-cache-alone", helps=None, run=("export TRITON_CACHE_DIR=$HOME/.cache/triton",)
)
FIND_LIBCUDA = "\"$(find / -name 'libcuda.so.1' -not -path '*/stubs/*' 2>/dev/null | head -n 1)\""
LIBCUDA_PATH = Fix(id="libcuda-path", helps=True, run=(f"export TRITON_LIBCUDA_PATH=$(dirname {FIND_LIBCUDA})",))
#: Triton's files alone are left, so that Inductor asks Triton again.
ONLY_TRITON_LEFT = 'find "$CACHE" -mindepth 1 -maxdepth 1 ! -name triton -exec rm -rf {} +'
CUDA_PTXAS = '$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")/ptxas'
#: The toolkit's own ptxas, which is given code of a PTX version that it does not know yet.
OLD_PTXAS = rf"""
mkdir -p ~/old; real={CUDA_PTXAS}; [ -x "$real" ]
cat > ~/old/ptxas << END
#!/bin/bash
for file in "\$@"; do case \$file in *.ptx) sed -i 's/^\.version .*/.version 99.9/' "\$file";; esac; done
exec $real "\$@"
END
chmod +x ~/old/ptxas
"""
CAPABILITY = '$("$PYTHON" -c "import torch; print(*torch.cuda.get_device_capability(), sep=chr(46))")'  # such as 9.0
#: Triton builds its helper before Inductor names a cache of its own: it is not with the kernels.
HELPERS = "$(find ~/.triton -name '*.so')"
COMPILE = "compiled = torch.compile"

TOOLCHAIN = (
    Fault(
        name="gpu-no-cc",
        label="toolchain/cc-missing",
        workload="gpu_pointwise",
        inject=("unset CC; path_without gcc cc clang 'gcc-*' 'clang-*' c89 c99",),
        fixes=(
            Fix(id="cc-env", helps=True, run=("export CC=/usr/bin/gcc",)),
            Fix(id="cc-env-from-path", helps=False, run=("export CC=$(command -v gcc || command -v clang)",)),
            Fix(id="cc-on-path", helps=True, run=("export PATH=$PATH:/usr/bin",)),
            Fix(id="set-cxx", helps=False, run=("export CXX=/usr/bin/g++",)),
            Fix(id="suppress-errors", helps=True, run=SUPPRESS),
            DISABLE,
            CLEAR_TRITON,
        ),
    ),
    Fault(
        name="gpu-cc-false",
        label="toolchain/cc-missing",
        workload="gpu_pointwise",
        inject=("export CC=/bin/false",),
        fixes=(
            Fix(id="unset-cc", helps=True, run=("unset CC",)),
            Fix(id="cc-env", helps=True, run=("export CC=$(command -v gcc || command -v clang)",)),
            Fix(id="set-cxx", helps=False, run=("export CXX=/usr/bin/g++",)),
            CLEAR_TRITON,
        ),
    ),
    Fault(
        name="gpu-no-python-h",
        label="toolchain/python-headers",
        workload="gpu_pointwise",
        prepare=('cp -rL "$INCLUDE" "$HOME/include"',),
        inject=('hide "$INCLUDE"',),
        fixes=(
            Fix(id="python-headers-path", helps=True, run=("export C_INCLUDE_PATH=$HOME/include",)),
            Fix(id="cplus-include-path-alone", helps=False, run=("export CPLUS_INCLUDE_PATH=$HOME/include",)),
            CLEAR_TRITON,
        ),
    ),
    Fault(
        name="gpu-libcuda-path-empty",
        label="toolchain/libcuda-link",
        workload="gpu_pointwise",
        prepare=("mkdir -p ~/empty",),
        inject=("export TRITON_LIBCUDA_PATH=$HOME/empty",),
        fixes=(
            LIBCUDA_PATH,
            Fix(id="unset-libcuda-path", helps=True, run=("unset TRITON_LIBCUDA_PATH",)),
            CLEAR_TRITON,
        ),
    ),
    Fault(
        name="gpu-no-ldconfig",
        label="toolchain/helper-missing",
        workload="gpu_pointwise",
        inject=("without /usr/sbin/ldconfig /usr/sbin/ldconfig.real",),
        fixes=(
            LIBCUDA_PATH,
            Fix(id="sbin-path", helps=False, run=("export PATH=$PATH:/sbin:/usr/sbin",)),
            CLEAR_TRITON,
        ),
    ),
    Fault(
        name="gpu-old-ptxas",
        label="abi/ptx-version",
        workload="gpu_pointwise",
        prepare=(OLD_PTXAS,),
        inject=("export TRITON_PTXAS_PATH=$HOME/old/ptxas",),
        fixes=(
            Fix(id="unset-ptxas", helps=True, run=("unset TRITON_PTXAS_PATH",)),
            Fix(id="newer-ptxas", helps=True, run=(f"export TRITON_PTXAS_PATH={CUDA_PTXAS}",)),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-other-architecture",
        label="abi/kernel-image",
        workload="gpu_extension",
        start="warm",
        seconds=240,
        inject=("export TORCH_CUDA_ARCH_LIST=7.5",),
        fixes=(
            Fix(
                id="rebuild-for-gpu",
                helps=True,
                run=(f"export TORCH_CUDA_ARCH_LIST={CAPABILITY}",),
            ),
            Fix(id="unset-arch-list", helps=True, run=("unset TORCH_CUDA_ARCH_LIST",)),
            Fix(id="launch-blocking", helps=False, run=("export CUDA_LAUNCH_BLOCKING=1",)),
            CLEAR_ALL,
        ),
    ),
)


def _broken_kernel(  # noqa: PLR0913 - what a fault is
    name: str,
    pattern: str,
    percent: int,
    *extra: Fix,
    rule: str = "delete-kernel-cache",
    visible: str | None = None,
    workload: str = "gpu_pointwise",
) -> Fault:
    """Return the fault of a cut file in Triton's cache."""
    files = f"$(find \"$CACHE/triton\" -name '{pattern}')"
    delete = f'for file in {files}; do rm -rf "$(dirname "$file")"; done'
    return Fault(
        name=name,
        label="cache/truncated-artifact",
        workload=workload,
        start="warm",
        visible=visible,
        prepare=(f"keep_part {percent} {files}", ONLY_TRITON_LEFT),
        fixes=(
            Fix(id="delete-bad-entry", helps=True, run=(delete,)),
            Fix(id="other-triton-cache", helps=True, run=("export TRITON_CACHE_DIR=$HOME/.cache/triton",)),
            Fix(id=rule, helps=True, run=('rm -rf "$CACHE" ~/.triton/cache',)),
            CLEAR_TRITON,
            *extra,
        ),
    )


NO_CACHES = Fix(id="force-disable-caches", helps=None, run=("export TORCHINDUCTOR_FORCE_DISABLE_CACHES=1",))
NO_GRAPH_CACHE = Fix(id="no-graph-cache", helps=False, run=("export TORCHINDUCTOR_FX_GRAPH_CACHE=0",))
CACHE = (
    _broken_kernel("gpu-cubin-empty", "*.cubin", 0, NO_CACHES, NO_GRAPH_CACHE),
    # Kernels have other names in Triton's cache when worker processes compile them.
    _broken_kernel("gpu-cubin-empty-of-workers", "*.cubin", 0, NO_GRAPH_CACHE, workload="gpu_workers"),
    _broken_kernel("gpu-cubin-half", "*.cubin", 50, visible="outside/other"),  # a signal and not a word
    _broken_kernel("gpu-json-half", "triton_*.json", 50, rule="delete-triton-cache"),
    Fault(
        name="gpu-helper-cut",
        label="cache/truncated-artifact",
        workload="gpu_pointwise",
        start="warm",
        prepare=(f"keep_part 15 {HELPERS}; ls -l {HELPERS}", 'rm -rf "$CACHE"'),
        inject=("export PYTHONFAULTHANDLER=1",),
        fixes=(
            Fix(id="delete-bad-entry", helps=True, run=(f"rm {HELPERS}",)),
            Fix(id="other-triton-cache", helps=True, run=("export TRITON_CACHE_DIR=$HOME/.cache/triton",)),
            Fix(id="delete-caches", helps=True, run=('rm -rf "$CACHE" ~/.triton/cache',)),
            Fix(id="delete-inductor-cache-alone", helps=False, run=('rm -rf "$CACHE"',)),
            NO_CACHES,
        ),
    ),
    *(
        Fault(
            name=f"gpu-triton-home-{kind}",
            label=label,
            workload="gpu_pointwise",
            inject=(make,),
            fixes=(
                OTHER_CACHE,
                OTHER_TRITON_CACHE,
                Fix(
                    id="other-inductor-cache-alone",
                    helps=False,
                    run=("export TORCHINDUCTOR_CACHE_DIR=$HOME/.cache/torchinductor",),
                ),
                Fix(id="chmod", helps=False, run=("chmod -R 777 ~/.triton",)),
                CLEAR_ALL,
            ),
        )
        for kind, label, make in (
            ("noexec", "cache/noexec-or-readonly", "on_tmpfs ~/.triton noexec"),
            ("read-only", "cache/noexec-or-readonly", "remount ~/.triton ro"),
            ("full", "cache/no-space", "on_tmpfs ~/.triton size=8k"),
        )
    ),
    Fault(
        name="gpu-cache-read-only",
        label="cache/noexec-or-readonly",
        workload="gpu_pointwise",
        inject=('remount "$CACHE" ro',),
        fixes=(
            OTHER_CACHE,
            OTHER_TRITON_CACHE,
            Fix(id="chmod", helps=False, run=('chmod -R 777 "$CACHE"',)),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-cache-noexec",  # kernels are read, not mapped: nothing happens
        label="cache/noexec-or-readonly",
        workload="gpu_pointwise",
        inject=('on_tmpfs "$CACHE" noexec',),
        fixes=(OTHER_CACHE, CLEAR_ALL),
    ),
    Fault(
        name="gpu-cache-full",
        label="cache/no-space",
        workload="gpu_pointwise",
        inject=('on_tmpfs "$CACHE" size=64k',),
        fixes=(OTHER_CACHE, OTHER_TRITON_CACHE, CLEAR_ALL),
    ),
)

SHAPES = (
    Fault(
        name="gpu-recompile-limit",
        label="dynamic-shapes/recompile-limit",
        workload="gpu_lengths",
        start="warm",
        inject=("export TORCH_LOGS=recompiles",),
        edit=(("torch.compile(attention)", "torch.compile(attention, dynamic=False)"),),
        symptom=r"hit config\.(recompile|cache_size)_limit",
        fixes=(
            Fix(id="dynamic-true", helps=True, edit=(("dynamic=False", "dynamic=True"),)),
            Fix(
                id="mark-dynamic",
                helps=True,
                edit=(("    compiled(q", "    torch._dynamo.mark_dynamic(q, 2)\n    compiled(q"),),
            ),
            Fix(
                id="raise-limit",
                helps=True,
                edit=((COMPILE, f"torch._dynamo.config.recompile_limit = 64\n{COMPILE}"),),
            ),
            Fix(
                id="eager-on-recompile",
                helps=True,
                edit=((COMPILE, f'torch.compiler.set_stance("eager_on_recompile")\n{COMPILE}'),),
            ),
            Fix(id="pad", helps=True, edit=(("16 + 8 * 12, 8)", "16 + 8 * 12, 64)"),)),
            Fix(id="suppress-errors", helps=False, run=SUPPRESS),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-rerecord",
        label="dynamic-shapes/cudagraph-rerecord",
        workload="gpu_graphs",
        start="warm",
        edit=(("torch.compile(model)", 'torch.compile(model, mode="reduce-overhead", dynamic=True)'),),
        symptom="recording a new graph for each distinct input size",
        fixes=(
            Fix(
                id="skip-dynamic",
                helps=True,
                edit=((COMPILE, f"torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True\n{COMPILE}"),),
            ),
            Fix(id="pad", helps=True, edit=(("randn(length,", "randn((length + 15) // 16 * 16,"),)),
            Fix(id="default-mode", helps=True, edit=(('mode="reduce-overhead", ', ""),)),
            Fix(
                id="raise-limit",
                helps=False,
                edit=((COMPILE, f"torch._dynamo.config.recompile_limit = 64\n{COMPILE}"),),
            ),
            CLEAR_ALL,
        ),
    ),
)

OUTSIDE = (
    Fault(
        name="gpu-output-overwritten",
        label="outside/cudagraphs",
        workload="gpu_outputs",
        start="warm",
        edit=(("torch.compile(model)", 'torch.compile(model, mode="reduce-overhead")'),),
        fixes=(
            Fix(id="clone", helps=True, edit=(("compiled(x + step)", "compiled(x + step).clone()"),)),
            Fix(
                id="mark-step",
                helps=False,
                edit=(
                    ("[compiled(x", "[(torch.compiler.cudagraph_mark_step_begin(), compiled(x"),
                    ("step) for", "step))[1] for"),
                ),
            ),
            Fix(
                id="mark-step-once",
                helps=None,
                edit=(("    outputs =", "    torch.compiler.cudagraph_mark_step_begin()\n    outputs ="),),
            ),
            Fix(id="default-mode", helps=True, edit=((', mode="reduce-overhead"', ""),)),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-mutated-input",
        label="outside/cudagraphs",
        workload="gpu_state",
        start="warm",
        inject=("export TORCH_LOGS=perf_hints,cudagraphs",),
        edit=(
            ("    return buffer + x", "    buffer.add_(x)\n    return buffer * 2"),
            ("torch.compile(update)", 'torch.compile(update, mode="reduce-overhead")'),
            ("    buffer = compiled(", "    compiled("),
            (", buffer).clone()", ", buffer)"),
        ),
        symptom="skipping cudagraphs due to mutated inputs",
        fixes=(
            Fix(id="no-mutation", helps=True, edit=(("buffer.add_(x)", "buffer = buffer + x"),)),
            Fix(
                id="static-address",
                helps=None,
                edit=(("for _ in range(4):", "torch._dynamo.mark_static_address(buffer)\nfor _ in range(4):"),),
            ),
            Fix(id="clone", helps=False, edit=((", buffer)\nprint", ", buffer).clone()\nprint"),)),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-shared-memory",
        label="outside/triton-resources",
        workload="gpu_matmul",
        start="warm",
        seconds=200,
        edit=(("BLOCK = 64", "BLOCK = 256"),),
        fixes=(
            Fix(id="smaller-blocks", helps=True, edit=(("BLOCK = 256", "BLOCK = 64"),)),
            Fix(id="disable-compile", helps=False, run=DISABLE.run),
            Fix(id="suppress-errors", helps=False, run=SUPPRESS),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-device-assert",
        label="outside/runtime-error",
        workload="gpu_lookup",
        start="warm",
        edit=(("[3, 9]", "[3, 99]"),),
        fixes=(
            Fix(
                id="check-indices",
                helps=True,
                edit=(("print(look_up(table, index)", "print(look_up(table, index.clamp(max=9))"),),
            ),
            Fix(id="disable-compile", helps=False, run=DISABLE.run),
            Fix(id="suppress-errors", helps=False, run=SUPPRESS),
            Fix(id="blocking", helps=False, run=("export CUDA_LAUNCH_BLOCKING=1",)),
            CLEAR_ALL,
        ),
    ),
    Fault(
        name="gpu-out-of-memory",
        label="outside/gpu-oom",
        workload="gpu_memory",
        start="warm",
        edit=(("ROWS = 3000", "ROWS = 300000"),),
        fixes=(
            Fix(id="smaller", helps=True, edit=(("ROWS = 300000", "ROWS = 3000"),)),
            Fix(
                id="expandable",
                helps=False,
                run=("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",),
            ),
            CLEAR_ALL,
        ),
    ),
)

FAULTS = (*TOOLCHAIN[::-1], *OUTSIDE, *SHAPES, *CACHE)
