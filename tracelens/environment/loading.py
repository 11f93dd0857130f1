"""torch itself, imported in a child: the one look that needs it to work.

What it prints while it loads, warnings of the driver included, is read as a
log. A GPU that is there and that torch cannot use is found here for certain.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from tracelens.environment.observations import not_run
from tracelens.environment.programs import run_program
from tracelens.environment.torch_facts import Python
from tracelens.events import ProcessExit
from tracelens.findings import Check, CheckStatus
from tracelens.parsing.exits import signal_of_code
from tracelens.text import Span

_NAME = "torch loads"
_SECONDS = 90.0
_QUESTION = """
import json, torch
facts = {"version": torch.__version__, "cxx11": torch.compiled_with_cxx11_abi(), "cuda": torch.version.cuda}
if torch.version.cuda:
    facts["available"] = torch.cuda.is_available()
    if facts["available"]:
        facts["gpu"] = torch.cuda.get_device_name(0)
        torch.ones(4, device="cuda").sum().item()
print("\\n" + json.dumps(facts))
"""


def look_at_torch(python: Python) -> Sequence[Check]:
    """Import torch and, where it was made for CUDA, add up four numbers on the GPU."""
    if python.torch is None:
        return (not_run(_NAME, f"{python.path} has no torch"),)
    ran = run_program([python.path, "-c", _QUESTION], {**python.environ, "LC_ALL": "C"}, _SECONDS)
    said, _, last = ran.output.strip().rpartition("\n")
    try:
        facts = json.loads(last)
    except ValueError:
        if ran.code is None:
            return (not_run(_NAME, ran.problem or ""),)
        lines = [line for line in ran.output.splitlines() if line.strip()]
        detail = lines[-1].strip() if lines else f"ends with {ran.code} and says nothing"
        facts_of_end = _ended(ran.code)
        return (Check(name=_NAME, status=CheckStatus.FAILED, detail=detail, facts=facts_of_end, output=ran.output),)
    abi = "new" if facts["cxx11"] else "old"
    detail = f"torch {facts['version']}, {abi} C++ ABI, CUDA {facts['cuda'] or 'none'}"
    if facts["cuda"]:
        detail += f", works on {facts['gpu']}" if facts["available"] else ", no GPU that it can use"
    # Warnings of the driver stand above the answer; whether they matter is for the rules to say.
    return (Check(name=_NAME, status=CheckStatus.PASSED, detail=detail, output=said),)


def _ended(code: int | None) -> tuple[ProcessExit, ...]:
    """Return the signal that ended an import as a fact: such an end prints nothing."""
    if code is None or code >= 0:
        return ()
    name = signal_of_code(code) or str(-code)
    return (ProcessExit(span=Span(line=1, end_line=1), message=f"import torch was ended by {name}", signal=name),)
