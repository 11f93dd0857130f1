"""The pages of the modes of ``torch.compile``.

What a mode sets is what ``torch._inductor.list_mode_options()`` of torch 2.13
returns; what it does to a run was seen in real runs, of which the corpus keeps
the logs.
"""

from __future__ import annotations

from tracelens.handbook.topic import Section, Topic, TopicKind, command, item, prose
from tracelens.record import Record

_PRINT_SETTINGS = 'python -c "import torch._inductor as inductor; print(inductor.list_mode_options())"'


class Mode(Record):
    """What is known of a mode; ``settings`` are names in ``torch._inductor.config``."""

    name: str
    fact: str
    means: str
    settings: tuple[str, ...]
    breaks: tuple[tuple[str, str], ...]
    when: str


_GRAPHS = (
    ("CUDA graphs are skipped, with a warning, and the speed-up is missing", "tracelens explain TL963"),
    ("a graph is recorded again for every input size", "tracelens explain TL381"),
    ("an output is read after the next run overwrote it", "tracelens explain TL961"),
    ("something that must not be called while a graph is captured is called", "tracelens explain TL962"),
)
_TUNING = (
    ("pages of tracebacks about choices that do not fit the GPU; they are only left out", "tracelens explain TL001"),
    ("a GPU with few multiprocessors tunes no matrix products", "tracelens explain TL004"),
)

MODES: tuple[Mode, ...] = (
    Mode(
        name="default",
        fact="compiles fast, no CUDA graphs",
        means=(
            "Inductor fuses and generates kernels, and takes for each what its heuristics choose. Kernels of different "
            "kinds are not timed against each other and nothing is recorded, so that there are fewer ways to fail than "
            "in any other mode."
        ),
        settings=(),
        breaks=(
            ("whatever fails in this mode fails in the others too", "they add to it and replace nothing"),
            ("every new size may be compiled anew until the limit is reached", "tracelens explain TL301"),
        ),
        when="Always first. When another mode fails, a run in this one tells whether the mode is the reason.",
    ),
    Mode(
        name="reduce-overhead",
        fact="replays CUDA graphs",
        means=(
            "What was compiled is recorded once as a CUDA graph and replayed as a whole, which saves the time that "
            "Python and the launches of kernels take. Addresses and sizes are fixed in a graph, and its outputs live "
            "until the next run. Waiting for the GPU in between (.item(), printing a tensor) is often said to crash "
            "this mode. It does not: measured on an H200 with torch 2.11, it breaks the graph there and the "
            "program runs. What is lost is the gain, since less is replayed at once."
        ),
        settings=("triton.cudagraphs",),
        breaks=_GRAPHS,
        when="Small batches on a GPU, where launching takes longer than computing, and sizes that are few.",
    ),
    Mode(
        name="max-autotune",
        fact="compiles slowly: times many kernels; replays CUDA graphs",
        means=(
            "For each matrix product and convolution many kernels are compiled and timed on this machine, and the "
            "fastest is kept. This takes its time at the first run, and again whenever a size is new or the cache is "
            "gone. CUDA graphs are on too. Measured on an H200 with torch 2.11: a run that ended well printed 28 "
            "tracebacks of kernels that did not fit."
        ),
        settings=("max_autotune", "coordinate_descent_tuning", "triton.cudagraphs"),
        breaks=(*_TUNING, *_GRAPHS),
        when=(
            "Long runs with few sizes, after the default mode works. Keep the cache directory, so that the tuning is "
            "paid for once."
        ),
    ),
    Mode(
        name="max-autotune-no-cudagraphs",
        fact="compiles slowly: times many kernels",
        means="The tuning of max-autotune without CUDA graphs: none of what goes wrong with graphs can.",
        settings=("max_autotune", "coordinate_descent_tuning"),
        breaks=_TUNING,
        when=(
            "When max-autotune is too much for the graphs: sizes that change, outputs that are kept, servers that "
            "capture by themselves."
        ),
    ),
)


def describe_mode(mode: Mode) -> Topic:
    """Return the page of a mode."""
    usage = "torch.compile(model)" if mode.name == "default" else f'torch.compile(model, mode="{mode.name}")'
    sets = f"In torch._inductor.config: {', '.join(mode.settings)}." if mode.settings else "Nothing."
    return Topic(
        kind=TopicKind.MODE,
        name=mode.name,
        title=f"The mode {mode.name} of torch.compile",
        facts=(mode.fact,),
        sections=(
            Section(heading="What it means", blocks=(prose(mode.means), command(usage))),
            Section(heading="What it sets", blocks=(prose(sets), command(_PRINT_SETTINGS))),
            Section(heading="What goes wrong with it", blocks=tuple(item(*entry) for entry in mode.breaks)),
            Section(heading="When to take it", blocks=(prose(mode.when),)),
        ),
    )
