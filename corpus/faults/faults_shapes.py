"""Faults of dynamic shapes: recompilations, constraints, and shapes that depend on data."""

from __future__ import annotations

from corpus.faults.model import Fault, Fix

CLEAR = Fix(id="clear-the-cache", helps=False, run=('rm -rf "$CACHE" ~/.triton/cache',))
SUPPRESS = Fix(id="suppress-errors", helps=False, run=("export TORCHDYNAMO_SUPPRESS_ERRORS=1",))
SUPPRESS_HELPS = Fix(id="suppress-errors", helps=True, run=("export TORCHDYNAMO_SUPPRESS_ERRORS=1",))
LIMIT_HIT = r"hit config\.(recompile|cache_size)_limit"
LOGS = ("export TORCH_LOGS=recompiles",)
CONFIG = "# settings\n"


def setting(identity: str, line: str, *, helps: bool) -> Fix:
    """Return a fix that is one line at the head of the program."""
    return Fix(id=identity, helps=helps, edit=((CONFIG, f"{line}\n"),))


RAISE_LIMIT = setting("raise-limit", "torch._dynamo.config.recompile_limit = 64", helps=True)
EAGER = setting("eager-on-recompile", 'torch.compiler.set_stance("eager_on_recompile")', helps=True)
#: The compiled function in the sound program takes this; dynamic=True is the popular advice.
DYNAMIC = Fix(id="dynamic-true", helps=False, edit=(('backend="eager"', 'backend="eager", dynamic=True'),))
DYNAMIC_INSTEAD = Fix(id="dynamic-true", helps=True, edit=(("dynamic=False", "dynamic=True"),))


def recompiling(
    name: str, workload: str, *fixes: Fix, edit: tuple[tuple[str, str], ...] = (), dynamic: Fix = DYNAMIC
) -> Fault:
    """Return a fault that reaches the limit of recompilations."""
    return Fault(
        name=name,
        label="dynamic-shapes/recompile-limit",
        workload=workload,
        start="warm",
        inject=LOGS,
        edit=edit,
        symptom=LIMIT_HIT,
        fixes=(*fixes, dynamic),
    )


FRESH = 'multiply(x, type("Config", (), {"scale": 2.0}))'
RECOMPILING = (
    recompiling(
        "recompile-size",
        "lengths",
        Fix(
            id="mark-dynamic", helps=True, edit=(("    layer(x", "    torch._dynamo.mark_dynamic(x, 1)\n    layer(x"),)
        ),
        Fix(id="pad", helps=True, edit=(("randn(2, length,", "randn(2, (length + 31) // 32 * 32,"),)),
        RAISE_LIMIT,
        EAGER,
        SUPPRESS,
        CLEAR,
        edit=(('backend="eager"', 'backend="eager", dynamic=False'),),
        dynamic=DYNAMIC_INSTEAD,
    ),
    recompiling(
        "recompile-size-one",
        "batches",
        Fix(
            id="mark-unbacked",
            helps=True,
            edit=(("    double(x", "    torch._dynamo.decorators.mark_unbacked(x, 0)\n    double(x"),),
        ),
        Fix(
            id="avoid-one",
            helps=True,
            edit=(("(1, 7, 5)", "(2, 7, 5)"), ('backend="eager"', 'backend="eager", dynamic=True')),
        ),
        edit=(
            ("(2, 7, 5)", "(1, 7, 5)"),
            (", dynamic=True", ""),
            (CONFIG, f"torch._dynamo.config.cache_size_limit = 1\n{CONFIG}"),
        ),
    ),
    recompiling(
        "recompile-stride",
        "layouts",
        Fix(id="contiguous", helps=True, edit=(("    halve(x)", "    halve(x.contiguous())"),)),
        edit=((", order).contiguous()", ", order)"),),
    ),
    recompiling(
        "recompile-rank",
        "ranks",
        Fix(id="fixed-rank", helps=True, edit=(("    scale(x)", "    scale(x.reshape(-1, 2, 16))"),)),
        edit=(("shape = (rank, 2, 16)", "shape = (*[1] * rank, 2, 16)"),),
    ),
    recompiling(
        "recompile-module-int",
        "steps",
        Fix(id="int-to-tensor", helps=True, edit=(("self.step = 0", "self.step = torch.tensor(0)"),)),
        setting("module-int-dynamic", "torch._dynamo.config.allow_unspec_int_on_nn_module = True", helps=True),
        edit=(("self.step = torch.tensor(0)", "self.step = 0"),),
    ),
    recompiling(
        "recompile-float",
        "rates",
        Fix(id="float-to-tensor", helps=True, edit=(("    descend(x, rate)", "    descend(x, torch.tensor(rate))"),)),
        Fix(id="drop-dynamic-false", helps=True, edit=((", dynamic=False", ""),)),
        edit=(
            ("descend(x, torch.tensor(rate))", "descend(x, rate)"),
            ('backend="eager"', 'backend="eager", dynamic=False'),
        ),
        dynamic=DYNAMIC_INSTEAD,
    ),
    recompiling(
        "recompile-string",
        "tags",
        Fix(id="hoist-constant", helps=True, edit=(("    tag(x, name)", "    tag(x, torch.tensor(len(name)))"),)),
        edit=(("tag(x, torch.tensor(len(name)))", "tag(x, name)"),),
    ),
    recompiling(
        "recompile-identity",
        "configs",
        Fix(id="stable-object", helps=True, edit=((FRESH, "multiply(x, Config)"),)),
        edit=(("multiply(x, Config)", FRESH),),
    ),
    recompiling(
        "recompile-container",
        "containers",
        Fix(id="fixed-container", helps=True, edit=(("    add(x, parts)", "    add(x, parts[-1:])"),)),
        edit=(("add(x, parts[-1:])", "add(x, parts)"),),
    ),
    recompiling(
        "recompile-dtype",
        "dtypes",
        Fix(id="one-property", helps=True, edit=(("    halve(x)", "    halve(x.float())"),)),
        edit=(("halve(x.float())", "halve(x)"), (CONFIG, f"torch._dynamo.config.cache_size_limit = 1\n{CONFIG}")),
    ),
    recompiling(
        "recompile-grad-mode",
        "modes",
        Fix(
            id="one-mode",
            helps=True,
            edit=(("evaluate = train", 'evaluate = torch.compile(lambda x: x * 2 + 1, backend="eager")'),),
        ),
        edit=(
            ('evaluate = torch.compile(lambda x: x * 2 + 1, backend="eager")', "evaluate = train"),
            (CONFIG, f"torch._dynamo.config.cache_size_limit = 1\n{CONFIG}"),
        ),
        dynamic=Fix(
            id="dynamic-true",
            helps=False,
            edit=(
                (
                    'train = torch.compile(step, backend="eager")',
                    'train = torch.compile(step, backend="eager", dynamic=True)',
                ),
            ),
        ),
    ),
    recompiling(
        "recompile-parameter-size",
        "growth",
        setting("parameter-shapes", "torch._dynamo.config.force_parameter_static_shapes = False", helps=True),
        edit=(("[4] * 12", "range(4, 16)"),),
    ),
)
FORBIDDEN = (
    Fault(
        name="recompile-forbidden-fullgraph",
        label="dynamic-shapes/recompile-limit",
        workload="lengths",
        start="warm",
        edit=(('backend="eager"', 'backend="eager", fullgraph=True, dynamic=False'),),
        fixes=(
            DYNAMIC_INSTEAD,
            Fix(
                id="mark-dynamic",
                helps=True,
                edit=(("    layer(x", "    torch._dynamo.mark_dynamic(x, 1)\n    layer(x"),),
            ),
            RAISE_LIMIT,
            EAGER,
            SUPPRESS,
            CLEAR,
        ),
    ),
    Fault(
        name="recompile-forbidden-setting",
        label="dynamic-shapes/recompile-limit",
        workload="lengths",
        start="warm",
        edit=(
            ('backend="eager"', 'backend="eager", dynamic=False'),
            (CONFIG, f"torch._dynamo.config.fail_on_recompile_limit_hit = True\n{CONFIG}"),
        ),
        fixes=(
            Fix(
                id="drop-fail-setting",
                helps=True,
                edit=(("limit_hit = True", "limit_hit = False"),),
            ),
            DYNAMIC_INSTEAD,
            RAISE_LIMIT,
            SUPPRESS,
            CLEAR,
        ),
    ),
)


def constraint(name: str, workload: str, *fixes: Fix, edit: tuple[tuple[str, str], ...]) -> Fault:
    """Return a fault of a dimension that was promised to be dynamic."""
    return Fault(
        name=name,
        label="dynamic-shapes/constraint-violation",
        workload=workload,
        start="warm",
        edit=edit,
        fixes=(*fixes, CLEAR),
    )


TWO_DIMS = 'export(model, args, dynamic_shapes={"ids": {1: Dim("seq")}, "mask": {1: Dim("mask_seq")}})'
ONE_DIM = 'seq = Dim("seq")\nexport(model, args, dynamic_shapes={"ids": {1: seq}, "mask": {1: seq}})'
AUTO_DIMS = 'export(model, args, dynamic_shapes={"ids": {1: Dim.AUTO}, "mask": {1: Dim.AUTO}})'
CONSTRAINTS = (
    constraint(
        "constraint-constant",
        "positions",
        Fix(
            id="maybe-mark-dynamic",
            helps=True,
            edit=(("torch._dynamo.mark_dynamic(x", "torch._dynamo.maybe_mark_dynamic(x"),),
        ),
        Fix(id="remove-constant", helps=True, edit=(("positions[:128]", "positions[: x.shape[0]]"),)),
        Fix(id="dynamic-true", helps=False, edit=(('backend="eager"', 'backend="eager", dynamic=True'),)),
        SUPPRESS_HELPS,
        edit=(("positions[: x.shape[0]]", "positions[:128]"),),
    ),
    constraint(
        "constraint-equal",
        "export_pair",
        Fix(id="same-dim", helps=True, edit=((TWO_DIMS, ONE_DIM),)),
        Fix(id="dim-auto", helps=True, edit=((TWO_DIMS, AUTO_DIMS),)),
        SUPPRESS,
        edit=((ONE_DIM, TWO_DIMS),),
    ),
    constraint(
        "constraint-range",
        "export_range",
        Fix(id="suggested-dim", helps=True, edit=(('Dim("seq")', 'Dim("seq", min=11)'),)),
        Fix(id="dim-auto", helps=True, edit=(('Dim("seq")', "Dim.AUTO"),)),
        SUPPRESS,
        edit=(('Dim("seq", min=11)', 'Dim("seq")'),),
    ),
)


def on_data(name: str, workload: str, *fixes: Fix, edit: tuple[tuple[str, str], ...]) -> Fault:
    """Return a fault of a value that is known only once the data is there."""
    return Fault(
        name=name,
        label="dynamic-shapes/data-dependent",
        workload=workload,
        start="warm",
        edit=edit,
        fixes=(
            *fixes,
            Fix(id="allow-break", helps=True, edit=(("fullgraph=True", "fullgraph=False"),)),
            Fix(id="dynamic-true", helps=False, edit=(("fullgraph=True", "fullgraph=True, dynamic=True"),)),
            SUPPRESS,
            CLEAR,
        ),
    )


CUT = "    if n <= x.shape[1]:\n        x = x[:, :n]\n"
ON_DATA = (
    on_data(
        "data-slice",
        "ragged",
        Fix(
            id="check",
            helps=True,
            edit=(("    # checked", "    torch._check(n >= 0)\n    torch._check(n <= x.shape[1])"),),
        ),
        Fix(
            id="tensor-op",
            helps=True,
            edit=((CUT, "    x = torch.where(torch.arange(32)[:, None] < lengths.max(), x, 0)\n"),),
        ),
        edit=(("    return x[:, : lengths.shape[0]] * n", f"{CUT}    return x * 2"),),
    ),
    on_data(
        "data-branch",
        "branch",
        Fix(
            id="cond",
            helps=True,
            edit=(
                (
                    "    if x.sum() > 0:\n        return torch.relu(x)\n    return torch.sigmoid(x)",
                    "    return torch.cond(x.sum() > 0, torch.relu, torch.sigmoid, (x,))",
                ),
            ),
        ),
        edit=(
            (
                "    return torch.where(x.sum() > 0, torch.relu(x), torch.sigmoid(x))",
                "    if x.sum() > 0:\n        return torch.relu(x)\n    return torch.sigmoid(x)",
            ),
        ),
    ),
)
FAULTS = (*RECOMPILING, *FORBIDDEN, *CONSTRAINTS, *ON_DATA)
