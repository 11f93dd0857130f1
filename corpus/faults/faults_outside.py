"""Failures that are nobody's cache, toolchain or shapes: what torch refuses, and what programs do wrong."""

from __future__ import annotations

from corpus.faults.faults_shapes import CLEAR, CONFIG, SUPPRESS, SUPPRESS_HELPS, setting
from corpus.faults.faults_toolchain import DISABLE
from corpus.faults.model import Fault, Fix

DISABLE_IN_VAIN = Fix(id="disable-compile", helps=False, run=DISABLE.run)
NORM = "    print(y.norm())\n"
NORM_APART = "    report(y)\n"
OWN_OPERATOR = """@torch.library.custom_op("shop::report", mutates_args=())
def report(y: torch.Tensor) -> torch.Tensor:
    print(y.norm())
    return y.clone()


@report.register_fake
def _(y):
    return torch.empty_like(y)


"""
REPORT = "@torch.compiler.disable\ndef report(y):\n    print(y.norm())\n\n\n"
UNCOMPILED = ("def critic", "@torch.compiler.disable\ndef critic")
FAULTS = (
    Fault(
        name="graph-break",
        label="outside/graph-break",
        workload="logged",
        start="warm",
        edit=(("    # logged\n", NORM),),
        fixes=(
            Fix(id="allow-break", helps=True, edit=(("fullgraph=True", "fullgraph=False"),)),
            setting("reorder-logging", "torch._dynamo.config.reorderable_logging_functions.add(print)", helps=True),
            Fix(
                id="custom-op",
                helps=True,
                edit=((NORM, "    y = report(y)\n"), ("def normalise", f"{OWN_OPERATOR}def normalise")),
            ),
            Fix(id="disable-part", helps=False, edit=((NORM, NORM_APART), ("def normalise", f"{REPORT}def normalise"))),
            Fix(id="dynamic-true", helps=False, edit=(("fullgraph=True", "fullgraph=True, dynamic=True"),)),
            SUPPRESS,
        ),
    ),
    Fault(
        name="backend-typo",
        label="outside/backend-name",
        workload="lengths",
        start="warm",
        edit=(('backend="eager"', 'backend="inducter"'),),
        fixes=(
            Fix(id="inductor", helps=True, edit=(("inducter", "inductor"),)),
            SUPPRESS,
        ),
    ),
    Fault(
        name="mode-typo",
        label="outside/backend-name",
        workload="infer",
        start="warm",
        edit=(("torch.compile(model)", 'torch.compile(model, mode="max-autotuned")'),),
        fixes=(
            Fix(id="right-mode", helps=True, edit=(("max-autotuned", "default"),)),
            SUPPRESS,
        ),
    ),
    Fault(
        name="shapes-that-do-not-fit",
        label="outside/fake-tensor",
        workload="infer",
        start="warm",
        edit=(("Linear(32, 4)", "Linear(31, 4)"),),
        fixes=(
            Fix(id="fix-shapes", helps=True, edit=(("Linear(31, 4)", "Linear(32, 4)"),)),
            Fix(id="dynamic-true", helps=False, edit=(("torch.compile(model)", "torch.compile(model, dynamic=True)"),)),
            DISABLE_IN_VAIN,
            SUPPRESS,
        ),
    ),
    Fault(
        name="operator-without-fake",
        label="outside/fake-tensor",
        workload="own_operator",
        start="warm",
        edit=(('@torch.library.register_fake("shop::swish")\ndef _(x):\n    return torch.empty_like(x)\n', ""),),
        fixes=(
            Fix(
                id="register-fake",
                helps=True,
                edit=(
                    (
                        CONFIG,
                        '@torch.library.register_fake("shop::swish")\ndef _(x):\n    return torch.empty_like(x)\n',
                    ),
                ),
            ),
            Fix(
                id="disable-part",
                helps=True,
                edit=(
                    ("torch.ops.shop.swish(x) +", "swish(x) +"),
                    (
                        "def model",
                        "@torch.compiler.disable\ndef swish(x):\n    return torch.ops.shop.swish(x)\n\n\ndef model",
                    ),
                ),
            ),
            Fix(id="dynamic-true", helps=False, edit=(("torch.compile(model", "torch.compile(model, dynamic=True"),)),
            SUPPRESS_HELPS,
            CLEAR,
        ),
    ),
    Fault(
        name="wrong-cpp",
        label="outside/codegen-bug",
        workload="infer",
        start="probed",
        edit=(
            (
                "torch.manual_seed(0)",
                'torch._inductor.config.cpp.inject_relu_bug_TESTING_ONLY = "compile_error"\ntorch.manual_seed(0)',
            ),
        ),
        fixes=(
            SUPPRESS_HELPS,
            DISABLE,
            Fix(
                id="aot-eager",
                helps=True,
                edit=(("torch.compile(model)", 'torch.compile(model, backend="aot_eager")'),),
            ),
            Fix(id="other-compiler", helps=False, run=("export CXX=g++-12",)),
            Fix(id="install-ninja", helps=False, run=("python -m pip install ninja",)),
            CLEAR,
        ),
    ),
    Fault(
        name="double-backward",
        label="outside/runtime-error",
        workload="penalty",
        start="warm",
        edit=(('backend="eager"', 'backend="aot_eager"'),),
        fixes=(
            Fix(
                id="double-backward",
                helps=True,
                edit=(UNCOMPILED, ("torch.compile(critic,", "torch.compile(lambda x: critic(x),")),
            ),
            Fix(id="disable-what-is-compiled", helps=False, edit=(UNCOMPILED,)),
            DISABLE,
            SUPPRESS,
            CLEAR,
        ),
    ),
    Fault(
        name="in-place",
        label="outside/runtime-error",
        workload="in_place",
        start="warm",
        edit=(("y = y + 1", "y.add_(1)"),),
        fixes=(
            Fix(id="no-inplace", helps=True, edit=(("y.add_(1)", "y = y + 1"),)),
            DISABLE_IN_VAIN,
        ),
    ),
    Fault(
        name="index-too-large",
        label="outside/runtime-error",
        workload="lookup",
        start="warm",
        edit=(("[1, 3]", "[1, 9]"),),
        fixes=(
            Fix(
                id="check-indices", helps=True, edit=(("look_up(table, index)", "look_up(table, index.clamp(max=3))"),)
            ),
            Fix(id="dynamic-true", helps=False, edit=(("torch.compile(", "torch.compile(dynamic=True, model="),)),
            DISABLE_IN_VAIN,
            SUPPRESS,
        ),
    ),
    Fault(
        name="key-error",
        label="outside/runtime-error",
        workload="configured",
        start="warm",
        edit=(('{"scale": 2.0}', '{"factor": 2.0}'),),
        fixes=(
            Fix(id="read-frame", helps=True, edit=(('{"factor": 2.0}', '{"scale": 2.0}'),)),
            DISABLE_IN_VAIN,
            SUPPRESS,
        ),
    ),
    Fault(
        name="compiler-out-of-memory",
        label="outside/host-oom",
        workload="infer",
        start="probed",
        prepare=(
            "mkdir ~/limited; printf '#!/bin/bash\\nulimit -v 300000\\nexec /usr/bin/g++ \"$@\"\\n' > ~/limited/g++",
            "chmod +x ~/limited/g++",
        ),
        inject=("export CXX=$HOME/limited/g++",),
        fixes=(
            Fix(id="more-memory", helps=True, run=("sed -i 's/ulimit -v .*/ulimit -v unlimited/' ~/limited/g++",)),
            Fix(id="fewer-threads", helps=False, run=("export TORCHINDUCTOR_COMPILE_THREADS=1 MAX_JOBS=1",)),
            Fix(id="smaller-batch", helps=False, edit=(("randn(8, 16)", "randn(2, 16)"),)),
            SUPPRESS_HELPS,
            CLEAR,
        ),
    ),
)
