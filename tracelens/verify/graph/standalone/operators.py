"""Which operators a text may name: by namespace and by name; the rest is up to their schema.

A namespace is allowed when all it holds computes with tensors and comes with torch
itself. Others need a foreign library, or do more than compute: profiling, networks,
files, streams.
"""

from __future__ import annotations

import re

from .refusal import RefusalCode, RefusedError

NAMESPACES = frozenset(
    {"aten", "prims", "quantized_decomposed", "rngprims", "mkldnn", "onednn", "quantized", "higher_order"}
)
HIGHER_ORDER = frozenset(
    {
        "associative_scan", "auto_functionalized", "auto_functionalized_v2", "autograd_function_apply", "checkpoint",
        "cond", "flex_attention", "flex_attention_backward", "invoke_subgraph", "map_impl",
        "out_dtype", "run_and_save_rng_state", "run_with_rng_state", "scan", "tag_activation_checkpoint", "while_loop",
        "with_effects", "wrap", "wrap_activation_checkpoint", "wrap_with_autocast", "wrap_with_set_grad_enabled",
    }
)  # fmt: skip

#: Operators of these namespaces that reach files, memory of others, threads or the terminal,
#: and those that take sizes, strides or indices without looking whether they are in bounds.
_DENIED = re.compile(
    r"(?:from_file|from_blob|save|load|_save|_load|.*pin_memory.*|is_pinned|record_stream|data_ptr|.*storage.*"
    r"|set_|set_data|resize_.*|_resize.*|resize|resize_as|sparse_resize.*|rename.*|requires_grad_|retain_grad"
    r"|backward|_backward|_print.*|_test_.*|_debug_.*|_cuda_.*|_mps_.*|_copy_from.*|_share.*|_new_shared.*"
    r"|_unsafe_set.*|_fw_primal|_cudnn_init_dropout_state|_use_cudnn_.*|_to_cpu|_assert_async_.*|_local_scalar_dense_.+"
    r"|_nested_.*|_reshape_alias.*|.*_tensor_unsafe|segment_reduce|_segment_reduce.*|_dimV.*|_convert_.*|.*prepack.*|.*unpack.*|make_.*params.*)\Z"
)
_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")
_DUNDERS = frozenset({"__and__", "__or__", "__xor__", "__lshift__", "__rshift__"})


def checked_operator(name: str, line: int | None = None) -> str:
    """Return ``torch.ops.<namespace>.<name>[.<overload>]`` if it may be used."""
    parts = name.split(".")
    if parts[:2] != ["torch", "ops"] or not 4 <= len(parts) <= 5 or not all(_PART.match(part) for part in parts):
        raise RefusedError(RefusalCode.OPERATOR, f"operator path {name[:80]}", line)
    namespace, operator = parts[2], parts[3]
    if any(part.startswith("__") and part not in _DUNDERS for part in parts):
        raise RefusedError(RefusalCode.OPERATOR, f"operator path {name[:80]}", line)
    if namespace not in NAMESPACES:
        raise RefusedError(RefusalCode.OPERATOR, f"operator {name[:80]} of another library", line)
    if namespace == "higher_order":
        if len(parts) != 4 or operator not in HIGHER_ORDER:
            raise RefusedError(RefusalCode.OPERATOR, f"higher-order operator {operator}", line)
    elif _DENIED.match(operator):
        raise RefusedError(RefusalCode.OPERATOR, f"operator {name[:80]} does more than compute", line)
    return name
