"""What is known of a graph before and after its text was read."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.events import CompileId
from tracelens.record import Record, aside
from tracelens.typed import Enum
from tracelens.verify.graph.standalone.refusal import RefusalCode


class Level(Enum):
    """Which part of the compiler a graph is for: before or after AOTAutograd."""

    DYNAMO = "dynamo"
    ATEN = "aten"


class GraphKind(Enum):
    """What the text is, by torch's own name of it."""

    FX_GRAPH_RUNNABLE = "fx_graph_runnable"
    MINIFIER_AOT = "minifier_launcher (aot)"
    MINIFIER_DYNAMO = "minifier_launcher (dynamo)"
    DYNAMO_OUTPUT = "dynamo_output_graph"
    GRAPH_CODE = "graph_code"
    PRE_GRAD = "pre_grad_graph"
    AOT_JOINT = "aot_joint_graph"
    AOT_FORWARD = "aot_forward_graph"
    AOT_BACKWARD = "aot_backward_graph"
    AOT_INFERENCE = "aot_inference_graph"
    POST_GRAD = "post_grad_graph"
    READABLE = "fx_graph_readable"
    TRANSFORMED = "fx_graph_transformed"

    @property
    def level(self) -> Level:
        """Tell where the graph enters the compiler."""
        return Level.DYNAMO if self in _DYNAMO else Level.ATEN

    @property
    def is_script(self) -> bool:
        """Tell whether the text is a program, with inputs and constants, or a printed graph."""
        return self in _SCRIPTS


_DYNAMO = {GraphKind.MINIFIER_DYNAMO, GraphKind.DYNAMO_OUTPUT, GraphKind.GRAPH_CODE, GraphKind.PRE_GRAD}
_SCRIPTS = {GraphKind.FX_GRAPH_RUNNABLE, GraphKind.MINIFIER_AOT, GraphKind.MINIFIER_DYNAMO}


class Origin(Enum):
    """Where a text was found."""

    LOG = "log"
    TRACE = "torch trace"
    DEBUG_FOLDER = "debug folder"
    FILE = "file"


class FoundGraph(Record):
    """The text of one graph, not read yet.

    ``source`` is the path, or the name of the log. ``lines[i]`` is the 1-based line of
    the source where line ``i`` of ``text`` stood. ``title`` is what torch printed above
    the graph, or the name of the folder it lies in.
    """

    kind: GraphKind
    origin: Origin
    source: str
    text: str = aside()
    lines: Sequence[int] = aside()
    title: str = ""
    compile_id: CompileId | None = None
    position: int = 0
    """Later graphs of a log have a higher one: with a recompile the last is the symbolic one."""

    @property
    def level(self) -> Level:
        """Tell where the graph enters the compiler."""
        return self.kind.level

    @property
    def line(self) -> int:
        """Return the first line of the text in its source."""
        return self.lines[0] if self.lines else 1

    def source_line(self, line: int | None) -> int | None:
        """Return the line of the source for a line of the text."""
        if line is None or not self.lines:
            return None
        return self.lines[min(max(line, 1), len(self.lines)) - 1]


class GraphIr(Record):
    """A graph that was read, as the JSON that ``standalone.building`` takes.

    ``symbols`` are the values of size symbols; ``chosen_symbols`` those that the text
    does not give and we chose, and ``filled_constants`` the tensors of which it has the size only.
    """

    found: FoundGraph
    json: str = aside()
    operators: int
    symbols: tuple[tuple[str, int], ...] = ()
    chosen_symbols: tuple[str, ...] = ()
    filled_constants: tuple[str, ...] = ()

    @property
    def level(self) -> Level:
        """Tell where the graph enters the compiler."""
        return self.found.level


class Refusal(Record):
    """A graph that is not built, and the construct that stands in the way; ``line`` is in the source."""

    found: FoundGraph
    code: RefusalCode
    construct: str
    line: int | None

    def __str__(self) -> str:
        """Say it as one line."""
        place = f"line {self.line}: " if self.line is not None else ""
        return f"{place}{self.construct}"
