"""The kind of a guard expression, in the spelling of any torch release.

Torch prints guards as Python expressions (``L['n'] == 4``), as sentences of
its C++ checks (``tensor 'x' size mismatch at index 1. expected 64, actual
72``) and, for shapes, as relations of SymPy. The kind decides whether dynamic
shapes can help at all, so a text that fits no known spelling is ``OTHER``,
never a guess.
"""

from __future__ import annotations

import re
from functools import cache

from tracelens.events import GuardKind
from tracelens.expressions import compiled
from tracelens.record import Record


class GuardReading(Record, kw_only=False):
    """What a guard looked at, where, what it wanted and what it got."""

    kind: GuardKind
    source: str | None = None
    dimension: int | None = None
    expected: str | None = None
    actual: str | None = None
    comment: str | None = None


_MISMATCH_KINDS = {
    "size": GuardKind.SIZE,
    "sizes": GuardKind.SIZE,
    "stride": GuardKind.STRIDE,
    "strides": GuardKind.STRIDE,
    "rank": GuardKind.RANK,
    "dtype": GuardKind.DTYPE,
    "requires_grad": GuardKind.REQUIRES_GRAD,
    "device": GuardKind.DEVICE,
    "Tensor device": GuardKind.DEVICE,
    "Tensor device index": GuardKind.DEVICE,
}
_BACKENDS = frozenset({"CPU", "CUDA", "HIP", "XLA", "MPS", "IPU", "XPU", "HPU", "VE", "Lazy", "MTIA", "Meta"})

# The text of a source: no line of torch's prints one longer than this.
_S = r".{1,2000}?"

# Sentences, mostly of torch/csrc/dynamo/guards.cpp, and calls that ask after
# the state of the program. The first group, if any, is the source.
_SENTENCES: tuple[tuple[str, GuardKind], ...] = (
    (rf"expected type of '({_S})' to be a tensor type(?:, but found (.{{1,500}}))?", GuardKind.TYPE),
    (rf"TYPE_MISMATCH\(({_S})\)", GuardKind.TYPE),
    (r"GLOBAL_STATE changed:.{0,300}\bgrad_mode\b", GuardKind.GRAD_MODE),
    (r"GLOBAL_STATE changed:.{0,300}\bautocast", GuardKind.AUTOCAST),
    (r"GLOBAL_STATE changed", GuardKind.GLOBAL_STATE),
    (r"(?:not )?(?:___|torch\.)is_(?:grad|inference_mode)_enabled\(", GuardKind.GRAD_MODE),
    (r"(?:not )?(?:___|torch\.)is_autocast", GuardKind.AUTOCAST),
    (
        (
            r"(?:not )?___(?:check_global_state|check_torch_function_mode|are_deterministic|is_torch_function_enabled"
            r"|compile_config_hash|skip_backend_check|check_current_backend|needs_nopython)"
        ),
        GuardKind.GLOBAL_STATE,
    ),
    (
        (
            r"(?i:utils_device\.CURRENT_DEVICE|torch\.(?:utils\._device\.)?CURRENT_DEVICE|torch\.autograd\.forward_ad"
            r"|torch\._functorch|.{0,40}torch.?function.?mode|FSDP_TRAINING_STATE|.{0,60}deterministic_algorithms)"
        ),
        GuardKind.GLOBAL_STATE,
    ),
    (r"KeyError on (.{1,2000})", GuardKind.KEYS),
    (r"IndexError on (.{1,2000})", GuardKind.LENGTH),
    (r"getattr failed on source (.{1,2000})", GuardKind.HASATTR),
    (
        r".{0,2000}\b_\w{0,20}dynamo_\w{1,60}(?:'.{0,40})? (?:is present|not a subset|should be absent|but attribute)",
        GuardKind.HASATTR,
    ),
    (r'"?Shape guard failed with values', GuardKind.SYMBOLIC),
    (rf"Cache line invalidated because ({_S}) got deallocated", GuardKind.OBJECT_ID),
    (r"(?i:cache (?:entry|line)(?: is)? invalid)", GuardKind.OBJECT_ID),
    (rf"(?:Duplicate tensor found.{{0,40}}?)?tensor '({_S})' should not alias to anything", GuardKind.OTHER),
    (r"Unable to find recompilation reasons", GuardKind.EMPTY),
)

# Expressions that name what they look at. The first group is the source, the
# last group that matched is what was expected of it.
_CALLS: tuple[tuple[str, GuardKind], ...] = (
    (rf"_{{2,3}}check_obj_id\(({_S}), ?(\d{{1,30}})\)(?:, type=(.{{1,1000}}))?", GuardKind.OBJECT_ID),
    (
        rf"_{{2,3}}check_(?:type_id|fake_script_type)\(({_S}), ?(\d{{1,30}})\)(?:, type=(.{{1,1000}}))?",
        GuardKind.TYPE,
    ),
    (rf"({_S})\.data_ptr\(\) == (\d{{1,30}})", GuardKind.OBJECT_ID),
    (rf"(?:not )?hasattr\(({_S}), ?('[^']{{0,300}}')\)", GuardKind.HASATTR),
    (rf"(?:not )?___dict_contains\('[^']{{0,300}}', ?({_S})\.__dict__\)", GuardKind.HASATTR),
    (rf"(?:not )?___dict_contains\((?:'[^']{{0,300}}'|[^\n,]{{1,300}}), ?({_S})\)\Z", GuardKind.KEYS),
    (rf"(?:not )?(?:frozen)?set\.__contains__\(({_S}), (.{{1,300}})\)\Z", GuardKind.KEYS),
    (rf"___dict_version\(({_S})\) == (\d{{1,30}})", GuardKind.KEYS),
    (rf"___(?:key_to_id|dict_param_key_ids|dict_const_keys)\(({_S})\) == (.{{0,2000}})", GuardKind.KEYS),
    (rf"(?:set|list|str|tuple|sorted)\((?:dict\.keys\()?({_S})(?:\.keys\(\)|\))\) == (.{{0,2000}})", GuardKind.KEYS),
    (rf"\{{k for k, v in ({_S})\.named_parameters\(\)\}} == (.{{0,2000}})", GuardKind.KEYS),
    (rf"(?:___tuple_iterator_len|(?:frozen)?set\.__len__|len)\(({_S})\) (?:==|!=) (.{{0,200}})", GuardKind.LENGTH),
    (rf"(?:not )?_{{0,2}}(?:math|numpy|np)[._]isnan\(({_S})\)", GuardKind.FLOAT),
    (rf"\(?type\(({_S})\) is (?:float|complex)\b", GuardKind.FLOAT),
    (rf"type\(({_S})\) (?:is|==) (.{{1,300}})", GuardKind.TYPE),
)

_INTEGER = r"-?\d{1,400}\Z"
_FLOAT = r"(?:float\(['\"])?-?(?:\d{1,400}\.\d{0,400}|\d{1,40}(?=e)|inf\b|nan\b)(?:e[-+]?\d{1,5})?"
_TEXT = r"b?['\"]"
_DTYPE = r"['\"]?torch\.(?:q?u?int\d|b?float\d|bool\b|half\b|complex|double\b|long\b|bits\d)"
_DEVICE = r"device\(|['\"](?:cuda|cpu|mps|xpu|hpu|meta|hip)(?::\d{1,4})?['\"]\Z"
_UNTANGLED = r"(?:str|int|float|bool|bytes|repr)\((.{1,2000})\)\Z"
_EMPTY_CONTAINER = r"not ([\w.\[\]'\"]{1,2000})\Z"
_SYMPY = r"(?:Eq|Ne|Lt|Le|Gt|Ge|And|Or|Not|Mod)\("
_ARITHMETIC = r" [%*/+-] |//|\*|\b(?:Mod|Max|Min|FloorDiv|PythonMod|CleanDiv|math\.\w{1,12})\("
_QUOTED = r"'[^']{0,300}'|\"[^\"]{0,300}\""
_SIZE = r"([LG]\[[^\s()]{1,300}?|[A-Za-z_][^\s()*]{0,300}?)\.(?:size\(\)|shape|stride\(\))\[(\d{1,6})\]"


_MISMATCH_PATTERN = (
    rf"tensor '(?P<source>{_S})' (?P<what>sizes?|strides?|rank|dtype|requires_grad|dispatch key set"
    r"|Tensor device(?: index)?|device) mismatch(?: at index (?P<dimension>\d{1,9}))?"
    r"(?:[.:,]? ?[Ee]xpected (?:requires_grad=|device(?: index)? to be )?(?P<expected>.{0,2000}?)"
    r"(?:[,.;] ?(?:but )?(?:actual|got) (?:requires_grad=)?(?P<actual>.{0,2000}?))?)?"
    r"(?P<comment>\. Guard failed on a parameter.{0,500})?[.;]?\Z"
)


@cache
def _compiled(table: tuple[tuple[str, GuardKind], ...]) -> tuple[tuple[re.Pattern[str], GuardKind], ...]:
    return tuple((compiled(pattern), kind) for pattern, kind in table)


_RELATION = r" (==|!=|<=|>=|<|>|is not|is) "


_SHAPE_TERM = (
    r"([^\s()]{1,2000}?)\.(size|shape|stride|storage_offset|ndim|dim)(?:\(\))?(?:\[(\d{1,6})\]|\((\d{1,6})\))?\Z"
)


def classify_guard(expression: str) -> GuardReading:
    """Tell what a guard, without counter and comment, looked at."""
    if not expression:
        return GuardReading(GuardKind.EMPTY)
    if " mismatch" in expression:
        match = compiled(_MISMATCH_PATTERN).match(expression)
        if match:
            return _read_mismatch(match)
    for pattern, kind in _compiled(_SENTENCES):
        match = pattern.match(expression)
        if match:
            source = match.group(1) if pattern.groups else None
            actual = match.group(2) if pattern.groups > 1 else None
            return GuardReading(kind, source=source, actual=actual)
    for pattern, kind in _compiled(_CALLS):
        match = pattern.match(expression)
        if match:
            values = [value for value in match.groups()[1:] if value]
            return GuardReading(kind, source=match.group(1), expected=values[-1] if values else None)
    return _read_relation(expression)


def _read_mismatch(match: re.Match[str]) -> GuardReading:
    expected, actual, comment = match["expected"], match["actual"], match["comment"]
    kind = _MISMATCH_KINDS.get(match["what"], GuardKind.OTHER)
    if kind is GuardKind.OTHER and _backends(expected) != _backends(actual):
        kind = GuardKind.DEVICE
    return GuardReading(
        kind,
        source=match["source"],
        dimension=int(match["dimension"]) if match["dimension"] else None,
        expected=expected or None,
        actual=actual or None,
        comment=comment[2:] if comment else None,
    )


def _backends(key_set: str | None) -> frozenset[str]:
    return _BACKENDS.intersection(re.findall(r"\w{1,40}", key_set or ""))


def _read_relation(expression: str) -> GuardReading:
    parts = compiled(_RELATION).split(expression, maxsplit=4)
    if len(parts) == 1:
        return _read_truth(expression)
    left, operator, right = parts[:3]
    if operator in {"is", "is not"}:
        kind = GuardKind.NONE_CHECK if right == "None" else GuardKind.OBJECT_ID
        return GuardReading(kind, source=left, expected=right)
    shape = next((term for term in map(compiled(_SHAPE_TERM).match, parts[::2]) if term), None)
    if shape:
        return _read_shape(shape, parts)
    if compiled(_SYMPY).match(expression) or _is_bounded(parts):
        return _read_symbolic(expression, parts)
    if operator == "==":
        right = expression[len(left) + len(" == ") :]
        untangled = compiled(_UNTANGLED).match(left)
        return GuardReading(_kind_of_value(right), source=untangled.group(1) if untangled else left, expected=right)
    return GuardReading(GuardKind.OTHER, source=left)


def _read_shape(shape: re.Match[str], parts: list[str]) -> GuardReading:
    source, what, index, argument = shape.groups()
    others = [part for part in parts[::2] if part != shape.group()]
    is_pair = len(parts) == 3 and bool(others)
    if what in {"ndim", "dim"} and not (index or argument):
        kind = GuardKind.RANK
    elif is_pair and parts[1] == "==" and compiled(_INTEGER).match(others[0]):
        kind = {"stride": GuardKind.STRIDE, "storage_offset": GuardKind.OTHER}.get(what, GuardKind.SIZE)
    else:
        kind = GuardKind.SYMBOLIC
    number = index or argument
    return GuardReading(
        kind,
        source=source,
        dimension=int(number) if number else None,
        expected=others[0] if is_pair else None,
    )


def _is_bounded(parts: list[str]) -> bool:
    """Tell whether a chain of comparisons is a range, an inequality or a sum of integers."""
    terms = parts[::2]
    if not any(compiled(_INTEGER).match(term) for term in terms):
        return any(compiled(_SIZE).search(term) for term in terms)
    return any(operator != "==" for operator in parts[1::2]) or any(
        compiled(_ARITHMETIC).search(compiled(_QUOTED).sub("", term)) for term in terms
    )


def _read_symbolic(expression: str, parts: list[str]) -> GuardReading:
    size = compiled(_SIZE).search(expression)
    if size:
        return GuardReading(GuardKind.SYMBOLIC, source=size.group(1), dimension=int(size.group(2)))
    source = next((part for part in parts[::2] if not compiled(_INTEGER).match(part)), None)
    return GuardReading(GuardKind.SYMBOLIC, source=source)


def _read_truth(expression: str) -> GuardReading:
    if compiled(_SYMPY).match(expression):
        return _read_symbolic(expression, [])
    empty = compiled(_EMPTY_CONTAINER).match(expression)
    if empty:
        return GuardReading(GuardKind.LENGTH, source=empty.group(1), expected="0")
    return GuardReading(GuardKind.OTHER)


def _kind_of_value(value: str) -> GuardKind:
    kind = GuardKind.OTHER
    if value in {"True", "False"}:
        kind = GuardKind.BOOL
    elif value == "None":
        kind = GuardKind.NONE_CHECK
    elif compiled(_INTEGER).match(value):
        kind = GuardKind.INT
    elif compiled(_FLOAT).match(value):
        kind = GuardKind.FLOAT
    elif compiled(_DTYPE).match(value):
        kind = GuardKind.DTYPE
    elif compiled(_DEVICE).match(value):
        kind = GuardKind.DEVICE
    elif compiled(_TEXT).match(value):
        kind = GuardKind.STRING
    return kind
