"""Puts a message into a log, the way its release would print it.

A message is seldom seen bare: it ends a traceback whose last frame is the
file and function that made it, and torch wraps it on its way out. Which way
that is depends on where it was raised and, in every part, on the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from corpus.lab.inventory.filling import fill
from corpus.lab.inventory.sites import How, Site

_PACKAGES = "/opt/venv/lib/python3.11/site-packages"
_EPOCH = (2, 0)

#: Raised to the caller as they are: called from the program, or at run time.
_DIRECT = re.compile(
    r"torch/(utils|cuda)/"
    r"|torch/_functorch/(apis|vmap|eager_transforms|functional_call|make_functional|deprecated|pyfunctorch|python_key"
    r"|predispatch|batch_norm|benchmark_utils|config|autograd_function|utils|top_operators|einops)"
    r"|torch/_dynamo/(decorators|eval_frame|config|external_utils|callback|test|debug_utils|repro|comptime|package"
    r"|aot_compile|precompile|functional_export|__init__|backends/registry|backends/debugging|replay_record|profiler"
    r"|dynamo_profiler|mutation_guard|pgo|hooks|cache_size|bytecode_debugger|code_context)"
    r"|torch/_inductor/(package|compile_worker|runtime|cudagraph|output_code|aoti|standalone|compiler_bisector"
    r"|wrapper_benchmark|__init__|config|analysis|fuzzer|test_|mock_cache|autotune_process|async_compile|remote_cache"
    r"|triton_bundler|triton_heuristics)"
)
_LOWERED = re.compile(
    r"torch/_inductor/(lowering|ir|kernel/|select_algorithm|mkldnn|quantized|jagged|comm_lowering|flex|decomposition)"
)
_AHEAD_OF_TIME = re.compile(r"torch/_functorch/")
_TRACED = re.compile(r"torch/(_dynamo|fx)/")
_OF_DYNAMO = re.compile(r"^torch\._dynamo\.exc\.|symbolic_shapes\.")
#: Leave Inductor without a wrapper, since they shorten their own traceback.
_SHORTENED = ("TritonMissing", "GPUTooOldForTriton", "SkipFrame")
_USER_CODE = '\n\nfrom user code:\n   File "/workspace/train.py", line 41, in forward\n    y = self.layers(x)\n'
_AFTERWARDS = "epoch 1: loss 0.6931\nepoch 2: loss 0.5107\ndone in 214.8 s\n"

#: The torch that a Triton release belongs to.
_TORCH_OF_TRITON = {
    (2, 0): (2, 0),
    (2, 1): (2, 1),
    (2, 2): (2, 2),
    (2, 3): (2, 3),
    (3, 0): (2, 4),
    (3, 1): (2, 5),
    (3, 2): (2, 6),
    (3, 3): (2, 7),
    (3, 4): (2, 8),
    (3, 5): (2, 9),
    (3, 6): (2, 11),
    (3, 7): (2, 12),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dress:
    """A log, and in a word how the message was wrapped in it."""

    name: str
    log: str


def era_of(package: str, version: tuple[int, ...]) -> tuple[int, int]:
    """Return the torch release that a release of a package speaks like."""
    number = (version[0], version[1]) if len(version) > 1 else _EPOCH
    return number if package == "torch" else _TORCH_OF_TRITON.get(number, (2, 13))


def dresses(site: Site, era: tuple[int, int], values: Mapping[str, str]) -> Iterator[Dress]:
    """Yield the logs in which a message may be met; ``values`` fill holes that matter."""
    message = fill(site.template, values)
    if site.how is How.LOGGED:
        yield Dress(name="record", log=_record(site, message, era) + _AFTERWARDS)
    elif site.how is How.WARNED:
        yield Dress(name="warning", log=_warning(site, message) + _AFTERWARDS)
    elif site.how is How.BROKEN:
        yield Dress(name="fullgraph", log=_fullgraph(site, message, era))
    elif site.module.startswith("triton/"):
        yield Dress(name="kernel", log=_direct(site, message))
        yield Dress(name="inductor", log=_inductor(site, message, era))
    elif site.kind in _SHORTENED or _DIRECT.match(site.module):
        yield Dress(name="direct", log=_direct(site, message))
    elif _LOWERED.match(site.module):
        yield Dress(name="lowering", log=_inductor(site, message, era, lowered=True))
    elif site.module.startswith("torch/_inductor/"):
        yield Dress(name="inductor", log=_inductor(site, message, era))
    elif _AHEAD_OF_TIME.match(site.module):
        yield Dress(name="aot", log=_backend_failed(site, message, era))
    elif _TRACED.match(site.module):
        yield Dress(name="dynamo", log=_traced(site, message, era))
    else:
        yield Dress(name="direct", log=_direct(site, message))


def _frame(path: str, line: int, function: str, source: str) -> str:
    return f'  File "{_PACKAGES}/{path}", line {line}, in {function}\n    {source}\n'


def _head() -> str:
    return (
        "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 73, in <module>\n    main()\n'
        '  File "/workspace/train.py", line 58, in main\n    loss = step(model, batch)\n'
    )


def _compile_frames() -> str:
    return _frame("torch/_dynamo/eval_frame.py", 655, "_fn", "return fn(*args, **kwargs)") + _frame(
        "torch/_dynamo/convert_frame.py", 1432, "__call__", "return self._torchdynamo_orig_callable("
    )


def _backend_frames() -> str:
    return (
        _compile_frames()
        + _frame("torch/_dynamo/output_graph.py", 1446, "_call_user_compiler", "compiled_fn = compiler_fn(gm, inputs)")
        + _frame("torch/__init__.py", 2340, "__call__", "return compile_fx(model_, inputs_)")
    )


def _inductor_frames() -> str:
    return (
        _backend_frames()
        + _frame("torch/_inductor/compile_fx.py", 2104, "compile_fx", "return aot_autograd(")
        + _frame("torch/_inductor/compile_fx.py", 998, "_compile_fx_inner", "raise InductorError(e, currentframe())")
    )


def _own_frame(site: Site) -> str:
    return _frame(f"{site.module}.py", site.line, site.function.rpartition(".")[2], site.source or "raise error")


def _said(site: Site, message: str, *, qualified: bool) -> str:
    kind = site.printed if qualified else site.kind
    if site.kind == "KeyError" and message and not message.startswith("("):
        message = repr(message)
    if "CompilationError" in site.kind or site.kind == "UnsupportedLanguageConstruct":
        message = f"at 7:11:\n    x = tl.load(p + offs)\n           ^\n{message}"
    return f"{kind}: {message}" if message else kind


def _hint(era: tuple[int, int]) -> str:
    if era >= (2, 6):
        return (
            "\n\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace (please do this especially if you're reporting"
            ' a bug to PyTorch). For even more developer context, set TORCH_LOGS="+dynamo"\n'
        )
    verbose = (
        'Set TORCH_LOGS="+dynamo" and TORCHDYNAMO_VERBOSE=1 for more information'
        if era >= (2, 1)
        else "Set torch._dynamo.config.verbose=True for more information"
    )
    return (
        f"\n\n{verbose}\n\n\nYou can suppress this exception and fall back to eager by setting:\n"
        "    import torch._dynamo\n    torch._dynamo.config.suppress_errors = True\n"
    )


def _direct(site: Site, message: str) -> str:
    return f"{_head()}{_own_frame(site)}{_said(site, message, qualified=True)}\n"


def _inductor(site: Site, message: str, era: tuple[int, int], *, lowered: bool = False) -> str:
    said = _said(site, message, qualified=False)
    if lowered:
        said = f"LoweringException: {said}\n  target: aten.convolution.default\n  args[0]: TensorBox(StorageBox(x))"
    wrapped = f"torch._inductor.exc.InductorError: {said}" if era >= (2, 7) else _backend_said(said, era)
    return f"{_head()}{_inductor_frames()}{_own_frame(site)}{wrapped}{_hint(era)}"


def _backend_failed(site: Site, message: str, era: tuple[int, int]) -> str:
    said = _backend_said(_said(site, message, qualified=False), era)
    return f"{_head()}{_backend_frames()}{_own_frame(site)}{said}{_hint(era)}"


def _backend_said(said: str, era: tuple[int, int]) -> str:
    if era < (2, 1):
        return f"torch._dynamo.exc.BackendCompilerFailed: debug_wrapper raised {said}"
    return f"torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n{said}"


def _traced(site: Site, message: str, era: tuple[int, int]) -> str:
    said = _said(site, message, qualified=True)
    if not _OF_DYNAMO.search(site.printed) and site.kind not in ("AssertionError", "IndexError"):
        inner = _said(site, message, qualified=False) if era >= (2, 3) else message
        said = f"torch._dynamo.exc.InternalTorchDynamoError: {inner}"
    return f"{_head()}{_compile_frames()}{_own_frame(site)}{said}{_USER_CODE}{_hint(era)}"


def _fullgraph(site: Site, message: str, era: tuple[int, int]) -> str:
    frame = _own_frame(site) + _frame("torch/_dynamo/exc.py", 317, "unimplemented", "raise Unsupported(msg)")
    said = f"torch._dynamo.exc.Unsupported: {message}"
    return f"{_head()}{_compile_frames()}{frame}{said}{_USER_CODE}{_hint(era)}"


def _record(site: Site, message: str, era: tuple[int, int]) -> str:
    level = "error" if site.kind == "exception" else site.kind
    if era >= (2, 3):
        head = f"{level[0].upper()}1201 02:32:13.949000 14743 {site.module}.py:{site.line}] [0/0] "
    else:
        logger = site.module.removesuffix("/__init__").replace("/", ".")
        head = f"[2026-12-01 02:32:13,949] {logger}: [{level.upper()}] "
    lines = message.split("\n")
    if site.kind == "exception":
        lines += [
            "Traceback (most recent call last):",
            f'  File "{_PACKAGES}/{site.module}.py", line {max(1, site.line - 3)}, in {site.function.split(".")[-1]}',
            "    result = attempt()",
            "RuntimeError: not this time",
        ]
    # Since 2.2 every line of a record has the header.
    return "".join(f"{head if number == 0 or era >= (2, 2) else ''}{line}\n" for number, line in enumerate(lines))


def _warning(site: Site, message: str) -> str:
    return f"{_PACKAGES}/{site.module}.py:{site.line}: {site.kind}: {message}\n  {site.source or 'warnings.warn('}\n"
