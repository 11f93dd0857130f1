"""Artifacts that try to run something, to read or write something, or to choke the reader.

Where one could act, it would make the file ``SENTINEL``: the tests put a real path there.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.verify.graph.material import LOAD_ARGS, script
from tracelens.verify.graph import GraphKind, RefusalCode

SENTINEL = "@SENTINEL@"
ACT = f"__import__('os').system('touch {SENTINEL}')"


class Hostile(NamedTuple):
    """A text and how it is refused; ``line_of`` is what stands on the line that is named."""

    text: str
    code: RefusalCode
    line_of: str | None = None
    kind: GraphKind = GraphKind.FX_GRAPH_RUNNABLE


def body(line: str, code: RefusalCode, *, line_of: str | None = None) -> Hostile:
    """Return a script with one hostile line in ``forward``."""
    return Hostile(script(body=f"        {line}"), code, line_of or line.strip()[:60])


def dynamo(line: str, code: RefusalCode) -> Hostile:
    """Return a script of Dynamo's minifier with one hostile line in ``forward``."""
    return Hostile(script(body=f"        {line}"), code, line.strip()[:60], GraphKind.MINIFIER_DYNAMO)


def load_args(line: str, code: RefusalCode) -> Hostile:
    """Return a script with one hostile line in ``load_args``."""
    return Hostile(script(load_args=f"    {line}\n{LOAD_ARGS}"), code, line[:60])


def init(line: str, code: RefusalCode) -> Hostile:
    """Return a script with one hostile line in ``__init__``."""
    return Hostile(script(init=f"        {line}"), code, line[:60])


def changed(old: str, new: str, code: RefusalCode, line_of: str | None = None) -> Hostile:
    """Return a script with a part replaced."""
    text = script()
    assert old in text
    return Hostile(text.replace(old, new), code, line_of)


def printed(annotation: str, code: RefusalCode, line: str = "relu = torch.ops.aten.relu.default(arg0_1)") -> Hostile:
    """Return a printed graph with a hostile type of its parameter."""
    text = f"class <lambda>(torch.nn.Module):\n    def forward(self, arg0_1: {annotation}):\n        {line}\n"
    return Hostile(text + "        return (relu,)", code, "def forward", GraphKind.AOT_FORWARD)


_C = RefusalCode
IN_FORWARD = {
    "getattr of builtins": body("relu = getattr(getattr(torch, '_'), 'ev' + 'al')(\"1\")", _C.FUNCTION),
    "class walk": body("relu = arg0_1.__class__.__mro__[-1].__subclasses__()", _C.CONSTRUCT),
    "os through torch": body(f"relu = torch.os.system('touch {SENTINEL}')", _C.FUNCTION),
    "sys through torch": body("relu = torch.sys.exit(1)", _C.FUNCTION),
    "builtins through torch": body(f"relu = torch.serialization.os.system('touch {SENTINEL}')", _C.FUNCTION),
    "pickle": body(f"relu = torch.load('{SENTINEL}', weights_only = False)", _C.FUNCTION),
    "save": body(f"relu = torch.save(arg0_1, '{SENTINEL}')", _C.FUNCTION),
    "tensor from a file": body(f"relu = torch.ops.aten.from_file.default('{SENTINEL}', True, 10)", _C.OPERATOR),
    "torch.from_file": body(f"relu = torch.from_file('{SENTINEL}', True, 10)", _C.FUNCTION),
    "foreign library": body("relu = torch.ops.load_library('/tmp/evil.so')", _C.OPERATOR),
    "classes of a foreign library": body("relu = torch.classes.load_library('/tmp/evil.so')", _C.FUNCTION),
    "network": body("relu = torch.ops.c10d.broadcast_.default([arg0_1], 1, 0, 0, True, -1)", _C.OPERATOR),
    "functional network": body("relu = torch.ops._c10d_functional.all_reduce.default(arg0_1, 'sum', 'x')", _C.OPERATOR),
    "profiler": body("relu = torch.ops.profiler._record_function_enter_new.default('x')", _C.OPERATOR),
    "reads a tensor from disk": body("relu = torch.ops.debugprims.load_tensor.default('x', [1], [1])", _C.OPERATOR),
    "user's Triton kernel": body(
        "relu = torch.ops.higher_order.triton_kernel_wrapper_mutation(kernel_idx = 0, grid = [(1, 1, 1)])", _C.OPERATOR
    ),
    "higher-order operator that runs Python": body("relu = torch.ops.higher_order.print('x')", _C.OPERATOR),
    "dunder in an operator": body("relu = torch.ops.aten.__class__.default(arg0_1)", _C.OPERATOR),
    "operator path": body("relu = torch.ops.aten.relu.default.py_impl(arg0_1)", _C.OPERATOR),
    "storage of another": body("relu = torch.ops.aten.set_.source_Storage(arg0_1, arg0_1)", _C.OPERATOR),
    "resize": body("relu = torch.ops.aten.resize_.default(arg0_1, [1000000000000])", _C.OPERATOR),
    "memory of a pool": body(
        "relu = torch.ops.inductor._alloc_from_pool.default(arg0_1, 9999, torch.float32, [4], [1])", _C.OPERATOR
    ),
    "view out of bounds": body(
        "relu = torch.ops.inductor._reinterpret_tensor.default(arg0_1, [9], [9], 9)", _C.OPERATOR
    ),
    "alias out of bounds": body("relu = torch.ops.aten._reshape_alias.default(arg0_1, [999], [999])", _C.OPERATOR),
    "sparse indices out of bounds": body(
        "relu = torch.ops.aten._sparse_coo_tensor_unsafe.default(arg0_1, arg0_1, [4])", _C.OPERATOR
    ),
    "stream": body("relu = torch.ops.aten.record_stream.default(arg0_1, 1)", _C.OPERATOR),
    "pinned memory": body("relu = torch.ops.aten._pin_memory.default(arg0_1)", _C.OPERATOR),
    "prints": body("relu = torch.ops.aten._print.default('x')", _C.OPERATOR),
    "f-string": body(f'relu = f"{{{ACT}}}"', _C.CONSTRUCT),
    "lambda": body(f"relu = torch.ops.aten.relu.default((lambda: {ACT})())", _C.CONSTRUCT),
    "comprehension": body(f"relu = torch.ops.aten.cat.default([{ACT} for _ in [1]])", _C.CONSTRUCT),
    "walrus": body(f"relu = torch.ops.aten.relu.default((x := {ACT}))", _C.CONSTRUCT),
    "call in a keyword": body(f"relu = torch.ops.aten.relu.default(arg0_1, x = {ACT})", _C.CONSTRUCT),
    "shadowed torch": body("torch = arg0_1; relu = torch.ops.aten.relu.default(arg0_1)", _C.CONSTRUCT),
    "assignment to an attribute": body("self.__class__.__call__ = arg0_1; relu = arg0_1", _C.CONSTRUCT),
    "double star": body("relu = torch.ops.aten.relu.default(**arg0_1)", _C.CONSTRUCT),
    "star": body("relu = torch.ops.aten.relu.default(*arg0_1)", _C.CONSTRUCT),
    "import": body("import os; relu = arg0_1", _C.CONSTRUCT),
    "with": body(f"with open('{SENTINEL}', 'w') as relu: pass", _C.CONSTRUCT),
    "while": body("while True: relu = arg0_1", _C.CONSTRUCT),
    "delete": body("del arg0_1", _C.CONSTRUCT),
    "global": body("global relu", _C.CONSTRUCT),
    "exec": body(f'exec("{ACT}"); relu = arg0_1', _C.FUNCTION),
    "eval": body("relu = eval('1')", _C.FUNCTION),
    "open": body(f"relu = open('{SENTINEL}', 'w')", _C.FUNCTION),
    "yield": body("relu = yield arg0_1", _C.CONSTRUCT),
    "annotation that is a call": body(f"relu: {ACT} = torch.ops.aten.relu.default(arg0_1)", _C.CONSTRUCT),
    "class of a literal": body("relu = (1).__class__", _C.CONSTRUCT),
    "method of a string": body("relu = 'x'.format(arg0_1)", _C.FUNCTION),
    "format string of a tensor": body("relu = arg0_1.__format__('x')", _C.FUNCTION),
    "power of literals": body("relu = 9 ** 999999999", _C.CONSTRUCT),
    "bytes": body("relu = torch.ops.aten.relu.default(b'x')", _C.CONSTRUCT),
    "call of self": body("relu = self.forward(arg0_1)", _C.MODULE),
    "dunder of self": body("relu = self.__dict__", _C.CONSTRUCT),
}
IN_DYNAMO = {
    "apply_": dynamo("relu = arg0_1.apply_(print)", _C.CONSTRUCT),
    "map_": dynamo("relu = arg0_1.map_(arg0_1, 1)", _C.FUNCTION),
    "numpy": dynamo("relu = arg0_1.numpy()", _C.FUNCTION),
    "raw pointer": dynamo("relu = arg0_1.data_ptr()", _C.FUNCTION),
    "hook": dynamo("relu = arg0_1.register_hook(arg0_1)", _C.FUNCTION),
    "reduce": dynamo("relu = arg0_1.__reduce_ex__(2)", _C.FUNCTION),
    "shared memory": dynamo("relu = arg0_1.share_memory_()", _C.FUNCTION),
    "getattr of a dunder": dynamo("relu = getattr(arg0_1, '__class__')", _C.FUNCTION),
    "inline C++": dynamo("relu = torch.utils.cpp_extension.load_inline('x', 'y')", _C.FUNCTION),
    "hub": dynamo("relu = torch.hub.load('evil/evil', 'x')", _C.FUNCTION),
    "operator.methodcaller": dynamo("relu = operator.methodcaller('x')", _C.FUNCTION),
    "operator.attrgetter": dynamo("relu = operator.attrgetter('__class__')", _C.FUNCTION),
    "multiprocessing": dynamo("relu = torch.multiprocessing.spawn(1)", _C.FUNCTION),
    "compile": dynamo("relu = torch.compile(arg0_1)", _C.FUNCTION),
    "jit": dynamo("relu = torch.jit.load('x')", _C.FUNCTION),
    "environment": dynamo("relu = os.environ['HOME']", _C.CONSTRUCT),
}
IN_LOAD_ARGS = {
    "call": load_args(ACT, _C.CONSTRUCT),
    "lambda as a size": load_args(f"buf1 = reader.storage(None, (lambda: {ACT})())", _C.INPUT),
    "power as a size": load_args("buf1 = reader.storage(None, 9**9**9)", _C.TOO_LARGE),
    "division by zero": load_args("buf1 = reader.storage(None, 4//0)", _C.INPUT),
    "storage of a file": load_args(f"reader.read('{SENTINEL}')", _C.INPUT),
    "other method": load_args("reader.__class__()", _C.INPUT),
    "other names": load_args("reader = 1", _C.CONSTRUCT),
    "loop": load_args("for _ in iter(int, 1): pass", _C.CONSTRUCT),
    "huge shape": Hostile(
        script(load_args="    buf0 = reader.storage(None, 4)\n    reader.tensor(buf0, (4000000000000,))"),
        _C.TOO_LARGE,
        "reader.tensor",
    ),
    "negative shape": Hostile(
        script(load_args="    buf0 = reader.storage(None, 4)\n    reader.tensor(buf0, (-5, 64))"),
        _C.TOO_LARGE,
        "reader.tensor",
    ),
    "too many inputs": load_args("reader.symint(4)", _C.INPUT)._replace(line_of="def load_args"),
}
IN_CLASS = {
    "decorator": changed("    def forward", f"    @{ACT}\n    def forward", _C.CONSTRUCT, "def forward"),
    "default": changed("(self, arg0_1)", f"(self, arg0_1={ACT})", _C.CONSTRUCT, "def forward"),
    "annotation": changed("arg0_1):", f"arg0_1: {ACT}):", _C.CONSTRUCT, "def forward"),
    "base class": changed("(torch.nn.Module)", f"(type({ACT}))", _C.CONSTRUCT, "class Repro"),
    "metaclass": changed("(torch.nn.Module)", f"(torch.nn.Module, metaclass={ACT})", _C.CONSTRUCT, "class Repro"),
    "class body": changed("    def forward", f"    x = {ACT}\n    def forward", _C.CONSTRUCT, ACT),
    "inline extension": init("self.m = torch.utils.cpp_extension.load_inline('x','y')", _C.MODULE),
    "module that is none": init(f"self.m = Linear({ACT}, 4)", _C.CONSTRUCT),
    "forward overwritten": init("self.forward = tensor([1])", _C.CONSTRUCT),
    "modules overwritten": init("self.__dict__ = tensor([1])", _C.CONSTRUCT),
    "buffer by call": init(f"self.register_buffer('x', {ACT})", _C.FUNCTION),
    "buffer with a dunder": init("self.register_buffer('__class__', tensor([1]))", _C.CONSTRUCT),
    "hook": init("self.register_forward_hook(print)", _C.FUNCTION),
    "async": changed("    def forward", "    async def forward", _C.CONSTRUCT, "async def"),
}
CHOKING = {
    "million nodes": Hostile(
        script(body="\n".join(f"        r{n} = torch.ops.aten.relu.default(arg0_1)" for n in range(200_000))),
        _C.TOO_LARGE,
    ),
    "nodes beyond the limit": Hostile(
        script(body="\n".join(f"        r{n} = torch.ops.aten.relu.default(arg0_1)" for n in range(20_500))),
        _C.TOO_LARGE,
        "r19999 ",
    ),
    "deep brackets": body("relu = " + "(" * 90_000 + "1" + ")" * 90_000, _C.TOO_LARGE),
    "deep unary": body("relu = " + "-" * 200_000 + "arg0_1", _C.TOO_LARGE),
    "long sum": body("relu = " + "1+" * 100_000 + "arg0_1", _C.TOO_LARGE)._replace(line_of=None),
    "long attribute chain": body("relu = arg0_1" + ".T" * 100_000, _C.TOO_LARGE),
    "letters outside ASCII that Python folds": body("relu = torch.\uff4f\uff53.system('x')", _C.CONSTRUCT),
    "right-to-left override": body("relu = torch.\u202eos.system('x')", _C.CONSTRUCT),
    "integer of many digits": body("relu = torch.ops.aten.add.Tensor(arg0_1, " + "9" * 400_000 + ")", _C.SYNTAX),
    "NUL": body("relu = torch.ops.aten.relu.default(arg0_1)\0", _C.CONSTRUCT, line_of="relu = torch"),
    "escape sequence": body("relu = torch.ops.aten.relu.default(arg0_1)\x1b[2J", _C.CONSTRUCT, line_of="relu = torch"),
    "long list": body("relu = torch.ops.aten.view.default(arg0_1, [" + "1, " * 150_000 + "])", _C.TOO_LARGE),
    "long line": body("relu = '" + "x" * 700_000 + "'", _C.TOO_LARGE),
    "long string": body("relu = torch.ops.aten.relu.default('" + "x" * 5_000 + "')", _C.TOO_LARGE),
    "large text": Hostile("#" * (9 << 20), _C.TOO_LARGE),
    "many lines": Hostile("\n" * 70_000 + script(), _C.TOO_LARGE),
    "deep classes": Hostile(
        "".join("    " * n + f"class c{n}(torch.nn.Module):\n" for n in range(60)) + "    " * 60 + "pass\n",
        _C.TOO_LARGE,
        kind=GraphKind.AOT_FORWARD,
    ),
    "no Python": Hostile("class Repro(torch.nn.Module): def", _C.SYNTAX, "class Repro"),
    "cut off": Hostile(script().partition("        return")[0], _C.SYNTAX),
    "no graph": Hostile("print('hello')", _C.NO_GRAPH),
    "no inputs": Hostile(script().partition("def load_args")[0], _C.NO_GRAPH),
}
IN_PRINTED = {
    "call as a type": printed(ACT, _C.CONSTRUCT),
    "call in a type": printed(f'"f32[{ACT}]"', _C.INPUT),
    "huge size in a type": printed('"f32[99999999999999]"', _C.TOO_LARGE),
    "huge integer in a type": printed('"f32[9999999999999999999999]"', _C.TOO_LARGE),
    "unknown type": printed('"evil[4]"', _C.INPUT),
    "no type": printed("torch.Tensor", _C.NO_GRAPH),
    "deep size": printed('"f32[' + "-" * 13 + '4]"', _C.TOO_LARGE),
    "code beside the class": Hostile(f"{ACT}\n{script()}", _C.NO_GRAPH, kind=GraphKind.READABLE),
}
HOSTILE = {
    f"{place}: {name}": hostile
    for place, group in (
        ("forward", IN_FORWARD),
        ("dynamo", IN_DYNAMO),
        ("load_args", IN_LOAD_ARGS),
        ("class", IN_CLASS),
        ("choking", CHOKING),
        ("printed", IN_PRINTED),
    )
    for name, hostile in group.items()
}
#: What stands at the top or the end of a script is not looked at, so it may say what it likes.
IGNORED = {
    "environment": script(top="import os\nos.environ['LD_PRELOAD']='/tmp/evil.so'"),
    "call at the top": script(top=ACT),
    "compiler of the configuration": script(top="import torch\ntorch._inductor.config.cpp.cxx = ('/tmp/evil.sh',)"),
    "folder to read": script(end="if __name__ == '__main__':\n    run_repro(mod, load_args, save_dir='/etc')\n"),
    "call at the end": script(end=ACT),
    "function that shadows": script(end=f"def tensor():\n    {ACT}\n"),
    "comment": script(body="        # \u202e \x1b[2J ((((((((\n        relu = arg0_1"),
    "another class": script(end=f"class Other(type({ACT})):\n    pass\n"),
}
