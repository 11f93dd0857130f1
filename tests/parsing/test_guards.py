from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.events import CompileId, GuardKind
from tracelens.parsing.guards import read_guard, read_recompile, read_recompile_limit
from tracelens.text import Span

LINE = Span(line=1, end_line=1)

#: guard as printed by some release, kind, source, dimension, expected, actual
GUARDS = [
    ("tensor 'x' size mismatch at index 1. expected 64, actual 72", GuardKind.SIZE, "x", 1, "64", "72"),
    ("tensor 'L['x']' size mismatch at index 0. expected 2, actual 3", GuardKind.SIZE, "L['x']", 0, "2", "3"),
    ("tensor 'cache.k' stride mismatch at index 2. expected 4, actual 8", GuardKind.STRIDE, "cache.k", 2, "4", "8"),
    (
        "tensor 'kv[0]' strides mismatch at index 0. expected 8192, actual 8320",
        GuardKind.STRIDE,
        "kv[0]",
        0,
        "8192",
        "8320",
    ),
    ("tensor 'L['x']' rank mismatch. expected 3, actual 4", GuardKind.RANK, "L['x']", None, "3", "4"),
    ("tensor 'x' dtype mismatch. expected Float, actual Half", GuardKind.DTYPE, "x", None, "Float", "Half"),
    ("tensor 'x' requires_grad mismatch. expected requires_grad=1", GuardKind.REQUIRES_GRAD, "x", None, "1", None),
    (
        "tensor 'x' Tensor device index mismatch. Expected device index to be 0, got 1",
        GuardKind.DEVICE,
        "x",
        None,
        "0",
        "1",
    ),
    (
        "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CUDA, X), actual DispatchKeySet(CPU, X)",
        GuardKind.DEVICE,
        "x",
        None,
        "DispatchKeySet(CUDA, X)",
        "DispatchKeySet(CPU, X)",
    ),
    (
        "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual DispatchKeySet(CPU, AutogradCPU)",
        GuardKind.OTHER,
        "x",
        None,
        "DispatchKeySet(CPU)",
        "DispatchKeySet(CPU, AutogradCPU)",
    ),
    (
        "expected type of 'L['x']' to be a tensor type, but found <class 'int'>",
        GuardKind.TYPE,
        "L['x']",
        None,
        None,
        "<class 'int'>",
    ),
    ("L['n'] == 4", GuardKind.INT, "L['n']", None, "4", None),
    ("n == -4", GuardKind.INT, "n", None, "-4", None),
    ("L['self'].layer_idx == 3", GuardKind.INT, "L['self'].layer_idx", None, "3", None),
    (
        "L['self']._modules['a'].layer_idx == (8, 'conv')",
        GuardKind.OTHER,
        "L['self']._modules['a'].layer_idx",
        None,
        "(8, 'conv')",
        None,
    ),
    ("L['x'].size()[0] == 3", GuardKind.SIZE, "L['x']", 0, "3", None),
    ("x.shape[2] == 3", GuardKind.SIZE, "x", 2, "3", None),
    ("L['x'].stride()[0] == 4", GuardKind.STRIDE, "L['x']", 0, "4", None),
    ("L['x'].ndim == 4", GuardKind.RANK, "L['x']", None, "4", None),
    ("2 <= L['x'].size()[0]", GuardKind.SYMBOLIC, "L['x']", 0, "2", None),
    ("L['x'].size()[0] != 16", GuardKind.SYMBOLIC, "L['x']", 0, "16", None),
    ("L['x'].size()[1] == L['y'].size()[0]", GuardKind.SYMBOLIC, "L['x']", 1, "L['y'].size()[0]", None),
    ("L['x'].size()[0] % 8 == 0", GuardKind.SYMBOLIC, "L['x']", 0, None, None),
    ("Eq(Mod(s0, 8), 0)", GuardKind.SYMBOLIC, None, None, None, None),
    ("2 <= L['n'] <= 10", GuardKind.SYMBOLIC, "L['n']", None, None, None),
    ("len(L['xs']) == 3", GuardKind.LENGTH, "L['xs']", None, "3", None),
    ("not L['xs']", GuardKind.LENGTH, "L['xs']", None, "0", None),
    ("___tuple_iterator_len(L['it']) == 3", GuardKind.LENGTH, "L['it']", None, "3", None),
    ("___check_obj_id(L['f'], 94632)", GuardKind.OBJECT_ID, "L['f']", None, "94632", None),
    ("___check_obj_id(f, 94632), type=<class 'm.F'>", GuardKind.OBJECT_ID, "f", None, "<class 'm.F'>", None),
    ("___check_type_id(L['x'], 77)", GuardKind.TYPE, "L['x']", None, "77", None),
    ("L['k'] is L['j']", GuardKind.OBJECT_ID, "L['k']", None, "L['j']", None),
    ("Cache line invalidated because L['x'] got deallocated", GuardKind.OBJECT_ID, "L['x']", None, None, None),
    ("str(L['mode']) == 'b'", GuardKind.STRING, "L['mode']", None, "'b'", None),
    ("L['mode'] == 'a == b'", GuardKind.STRING, "L['mode']", None, "'a == b'", None),
    ("L['scale'] == 0.5", GuardKind.FLOAT, "L['scale']", None, "0.5", None),
    ("L['eps'] == 1e-05", GuardKind.FLOAT, "L['eps']", None, "1e-05", None),
    ("__math_isnan(L['x'])", GuardKind.FLOAT, "L['x']", None, None, None),
    ("L['flag'] == True", GuardKind.BOOL, "L['flag']", None, "True", None),
    ("L['self'].training == False", GuardKind.BOOL, "L['self'].training", None, "False", None),
    ("L['k'] is None", GuardKind.NONE_CHECK, "L['k']", None, "None", None),
    ("L['k'] == None", GuardKind.NONE_CHECK, "L['k']", None, "None", None),
    ("L['a'] != L['b']", GuardKind.OTHER, "L['a']", None, None, None),
    ("L['w'] is not None", GuardKind.NONE_CHECK, "L['w']", None, "None", None),
    ("L['d'] == torch.float16", GuardKind.DTYPE, "L['d']", None, "torch.float16", None),
    ("str(d) == 'torch.int64'", GuardKind.DTYPE, "d", None, "'torch.int64'", None),
    ("L['d'] == device(type='cuda', index=0)", GuardKind.DEVICE, "L['d']", None, "device(type='cuda', index=0)", None),
    ("str(d) == 'cuda:0'", GuardKind.DEVICE, "d", None, "'cuda:0'", None),
    ("___is_grad_enabled()", GuardKind.GRAD_MODE, None, None, None, None),
    ("GLOBAL_STATE changed: grad_mode ", GuardKind.GRAD_MODE, None, None, None, None),
    ("GLOBAL_STATE changed: autocast(CUDA)_enabled ", GuardKind.AUTOCAST, None, None, None, None),
    ("GLOBAL_STATE changed: num_threads ", GuardKind.GLOBAL_STATE, None, None, None, None),
    ("___check_torch_function_mode_stack()", GuardKind.GLOBAL_STATE, None, None, None, None),
    ("utils_device.CURRENT_DEVICE == None", GuardKind.GLOBAL_STATE, None, None, None, None),
    (
        "hasattr(L['x'], '_dynamo_dynamic_indices') == False",
        GuardKind.HASATTR,
        "L['x']",
        None,
        "'_dynamo_dynamic_indices'",
        None,
    ),
    ("not ___dict_contains('forward', L['self'].__dict__)", GuardKind.HASATTR, "L['self']", None, None, None),
    ("___dict_contains('a', L['kw'])", GuardKind.KEYS, "L['kw']", None, None, None),
    ("set(L['kw'].keys()) == {'a', 'b'}", GuardKind.KEYS, "L['kw']", None, "{'a', 'b'}", None),
    ("list(dict.keys(L['kw'])) == ['a']", GuardKind.KEYS, "L['kw']", None, "['a']", None),
    ("___key_to_id(L['kw']) == {1}", GuardKind.KEYS, "L['kw']", None, "{1}", None),
    ("KeyError on L['d']['x']", GuardKind.KEYS, "L['d']['x']", None, None, None),
    (
        "BACKEND_MATCH failure: torch.compile detected different backend callables.",
        GuardKind.OTHER,
        None,
        None,
        None,
        None,
    ),
    ("tensor 'x' colour mismatch", GuardKind.OTHER, None, None, None, None),
    ("Unable to find recompilation reasons", GuardKind.EMPTY, None, None, None, None),
    ("", GuardKind.EMPTY, None, None, None, None),
]


def block(text):
    return [(line, Span(line=number, end_line=number)) for number, line in enumerate(text.split("\n"), 10)]


@pytest.mark.parametrize(
    ("text", "reading"), [(text, reading) for text, *reading in GUARDS], ids=[g[0] for g in GUARDS]
)
def test_a_guard_says_what_it_looked_at(text, reading):
    guard = read_guard(text, LINE, None, None)

    assert [guard.kind, guard.source, guard.dimension, guard.expected, guard.actual] == reading
    assert guard.expression == text.strip()


@pytest.mark.parametrize(
    ("text", "compile_id"),
    [
        ("- 0/7: L['n'] == 4", CompileId(frame_id=0, frame_compile_id=7)),
        ("    - 16/7: L['n'] == 4", CompileId(frame_id=16, frame_compile_id=7)),
        ("!0/1/2: L['n'] == 4", CompileId(frame_id=1, frame_compile_id=2, compiled_autograd_id=0)),
        ("- L['n'] == 4", None),
    ],
)
def test_the_counter_before_a_guard_is_no_part_of_it(text, compile_id):
    guard = read_guard(text, LINE, None, None)

    assert guard.expression == "L['n'] == 4"
    assert guard.compile_id == compile_id


@pytest.mark.parametrize(
    ("text", "expression", "comment"),
    [
        (
            "L['n'] == 4          # for i in range(n):  # a.py:3 in f",
            "L['n'] == 4",
            "for i in range(n):  # a.py:3 in f",
        ),
        ("L['n'] == 4  # a.py:3 in f (HINT: type int)", "L['n'] == 4", "a.py:3 in f; type int"),
        ("L['n'] == 4 (HINT: guard on \"n\")", "L['n'] == 4", 'guard on "n"'),
        ("L['s'] == '#1'", "L['s'] == '#1'", None),
        ("L['n'] == 4 (HINT: cut off", "L['n'] == 4 (HINT: cut off", None),
    ],
)
def test_what_torch_prints_behind_a_guard_is_its_comment(text, expression, comment):
    guard = read_guard(text, LINE, None, None)

    assert (guard.expression, guard.comment) == (expression, comment)


def test_a_guard_on_a_parameter_keeps_the_advice_as_comment():
    advice = "Guard failed on a parameter, consider using torch._dynamo.config.force_parameter_static_shapes = False"

    guard = read_guard(
        f"2/7: tensor 'X[0]' size mismatch at index 1. expected 640, actual 8. {advice}.", LINE, None, None
    )

    assert (guard.kind, guard.actual) == (GuardKind.SIZE, "8")
    assert guard.comment == f"{advice}."


def test_a_recompile_names_function_place_and_each_guard():
    recompile = read_recompile(
        block(
            "Recompiling function decode in /w/gen.py:4\n"
            "    triggered by the following guard failure(s):\n"
            "    - 0/1: tensor 'cache.k' size mismatch at index 1. expected 1, actual 2\n"
            "    - 0/0: cache.k is None                      # cache.k = x  # gen.py:6 in decode\n"
            "    - User stack trace:\n"
            '    -   File "/w/gen.py", line 6, in decode\n'
            "    -     cache.k = x"
        ),
        None,
        None,
    )

    assert recompile is not None
    assert (recompile.function, recompile.location) == ("decode", "/w/gen.py:4")
    assert [guard.kind for guard in recompile.guards] == [GuardKind.SIZE, GuardKind.NONE_CHECK]
    assert [guard.span.line for guard in recompile.guards] == [12, 13]
    assert recompile.span == Span(line=10, end_line=16)


def test_the_guards_of_each_cache_entry_are_read_in_the_verbose_form():
    recompile = read_recompile(
        block(
            "Recompiling function f in a.py:1\n"
            "    triggered by the following guard failure(s):\n"
            "    guard 0 failures:\n"
            "    - 0/0: L['n'] == 4; tensor 'x' rank mismatch. expected 3, actual 4\n"
            "\n"
            "    guard 1 failures:\n"
            "    - L['flag'] == True"
        ),
        None,
        None,
    )

    assert recompile is not None
    assert [guard.kind for guard in recompile.guards] == [GuardKind.INT, GuardKind.RANK, GuardKind.BOOL]


@pytest.mark.parametrize(
    "second",
    [
        "\"triggered by the following guard failure: tensor 'L['x']' size mismatch at index 1. expected 2, actual 3\"",
        r"'triggered by the following guard failure: tensor \'L[\'x\']\' rank mismatch. expected 2, actual 3'",
    ],
)
def test_torch_2_1_logs_a_recompile_as_a_tuple(second):
    recompile = read_recompile(block(f"('Recompiling function forward in /a b/x.py:3', {second})"), None, None)

    assert recompile is not None
    assert (recompile.function, recompile.location) == ("forward", "/a b/x.py:3")
    assert [(guard.source, guard.actual) for guard in recompile.guards] == [("L['x']", "3")]


def test_torch_2_1_may_keep_the_guard_to_itself():
    line = "('Recompiling function f in x.py:3', 'set env var TORCHDYNAMO_REPORT_GUARD_FAILURES=1 to debug further')"

    recompile = read_recompile(block(line), None, None)

    assert recompile is not None
    assert recompile.guards == ()


def test_a_recompile_that_a_stance_forbids_is_one():
    recompile = read_recompile(
        block(
            "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: 'a.py', "
            "function name: 'f', line number: 5\ntriggered by the following guard failure(s):\n- 0/0: L['n'] == 4"
        ),
        None,
        None,
    )

    assert recompile is not None
    assert (recompile.function, recompile.location) == ("f", "a.py:5")
    assert [guard.kind for guard in recompile.guards] == [GuardKind.INT]


LIMIT = """torch._dynamo hit config.{setting} ({limit})
   function: 'forward' (/a/b.py:15)
   {reason}
{end}"""


@pytest.mark.parametrize(
    ("setting", "reason", "end"),
    [
        (
            "recompile_limit",
            "last reason: 0/7: L['n'] == 4",
            'To log all recompilation reasons, use TORCH_LOGS="recompiles".',
        ),
        (
            "accumulated_recompile_limit",
            "last reason: 0/7: L['n'] == 4",
            "To diagnose recompilation issues, see https://x",
        ),
        ("cache_size_limit", "last reason: L['n'] == 4", "To log all recompilation reasons, use TORCH_LOGS"),
        ("accumulated_cache_size_limit", "last reason: L['n'] == 4", "To diagnose recompilation issues, see https://x"),
        ("cache_size_limit", "reasons:  L['n'] == 4", "to diagnose recompilation issues, see https://x."),
        ("cache_size_limit", "reasons:    reasons: L['n'] == 4\n", "to diagnose recompilation issues, see https://x."),
    ],
)
def test_a_limit_names_setting_function_and_reason(setting, reason, end):
    limit = read_recompile_limit(block(LIMIT.format(setting=setting, limit=8, reason=reason, end=end)), None, None)

    assert limit is not None
    assert (limit.setting, limit.limit, limit.function) == (setting, 8, "forward (/a/b.py:15)")
    assert [guard.kind for guard in limit.guards] == [GuardKind.INT]
    assert limit.message.startswith("torch._dynamo hit config")


def test_a_limit_without_a_reason_has_an_empty_guard():
    limit = read_recompile_limit(
        block(LIMIT.format(setting="cache_size_limit", limit=64, reason="last reason: ", end="")), None, None
    )

    assert limit is not None
    assert [guard.kind for guard in limit.guards] == [GuardKind.EMPTY]


def test_a_stack_behind_the_last_reason_holds_no_guards():
    limit = read_recompile_limit(
        block(
            LIMIT.format(
                setting="recompile_limit",
                limit=8,
                reason="last reason: 0/7: L['n'] == 4",
                end='User stack trace:\n  File "a.py", line 2, in f\n    x == 3\nTo log all recompilation reasons, use',
            )
        ),
        None,
        None,
    )

    assert limit is not None
    assert [guard.expression for guard in limit.guards] == ["L['n'] == 4"]


@pytest.mark.parametrize(
    ("message", "setting", "limit"),
    [
        ("recompile_limit reached with fullgraph=True. Excessive recompilations can degrade", "recompile_limit", None),
        (
            "recompile_limit reached, because fail_on_recompile_limit_hit = True this is a HARD failure",
            "recompile_limit",
            None,
        ),
        ("cache_size_limit reached", "cache_size_limit", None),
        ("accumulated_recompile_limit reached with one_graph=True.", "accumulated_recompile_limit", None),
        ("Hard failure due to fullgraph=True", None, None),
        ("Hard failure due to fail_on_recompile_limit_hit", None, None),
        (
            (
                "Dynamo recompile limit exceeded\n  Explanation: Dynamo attempted to recompile the code too often, "
                "exceeding the recompile_limit cache size limit (currently set to 8).\n"
                "  Developer debug context: Limit type: recompile_limit"
            ),
            "recompile_limit",
            8,
        ),
    ],
)
def test_exceptions_say_that_a_limit_was_reached(message, setting, limit):
    found = read_recompile_limit(block(message), None, None)

    assert found is not None
    assert (found.setting, found.limit, found.message) == (setting, limit, message)


@pytest.mark.parametrize("text", ["", "CUDA out of memory", "Recompiling", "torch._dynamo hit config", "the limit"])
def test_other_messages_are_neither(text):
    assert read_recompile(block(text), None, None) is None
    assert read_recompile_limit(block(text), None, None) is None


PARTS = st.sampled_from([
    "tensor '", "L['x']", "' size mismatch", " at index 1", ". expected 2", ", actual ", "==", " == ", " is ", "None",
    "0/1: ", "- ", "Recompiling function f in a.py:1", "torch._dynamo hit config.recompile_limit (8)", "; ", "  # ",
    "last reason: ", "(HINT: ", ".size()[0]", "___check_obj_id(", "len(", "hasattr(", ")", "'", '"', "\\", "9" * 5000,
    "\n", "User stack trace:",
])  # fmt: skip


@given(st.one_of(st.text(), st.lists(PARTS, max_size=15).map("".join)))
def test_any_text_is_read_without_raising(text):
    guard = read_guard(text, LINE, None, None)
    recompile = read_recompile(block(text), None, None)
    limit = read_recompile_limit(block(text), None, None)

    assert guard.expression in text
    assert recompile is None or recompile.function
    assert limit is None or limit.message
