"""A report of ours is read as the log in it, and as nothing else."""

from __future__ import annotations

from tests.corpus_cases import our_rules
from tracelens.api import analyze_text
from tracelens.source.own_reports import log_of_report
from tracelens.text import LOG_HEADING, REPORT_MARK, Region

_REPORT = f"""\
{REPORT_MARK}

### 🐛 Describe the bug

```text
CUDA out of memory
```

{LOG_HEADING}

<details><summary>a.log, lines 1 to 4 of 4</summary>

````text
Traceback (most recent call last):
```
### Versions
````

</details>

### Minimal repro

```python
y = f(x)
```
"""


def test_only_the_log_is_left_and_keeps_its_lines():
    shown = log_of_report(Region(first_line=1, text=_REPORT)).text.split("\n")
    assert len(shown) == len(_REPORT.split("\n"))
    kept = {number: line for number, line in enumerate(shown, 1) if line}
    first = _REPORT.split("\n").index("Traceback (most recent call last):") + 1
    assert kept == {first: "Traceback (most recent call last):", first + 1: "```", first + 2: "### Versions"}


def test_words_of_the_report_are_no_evidence():
    assert analyze_text(_REPORT, our_rules()).label != "outside/gpu-oom"
    assert analyze_text(_REPORT.replace(REPORT_MARK, ""), our_rules()).label == "outside/gpu-oom"
