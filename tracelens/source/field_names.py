"""What the names of fields say of the texts in them."""

from __future__ import annotations

from tracelens.expressions import expression

#: Fields that hold a failure.
FAILURE = expression(
    r"(?i)(?:.*[._-])?(?:err|errors?|exc|exceptions?|cause|failure|fault|thrown|stack|trace_?back|stderr|output)"
    r"(?:_?(?:info|trace|text|str|details?|msg|message))?"
)
#: Fields that hold what somebody sent, which may quote anything.
QUOTED = expression(
    r"(?i).*(?:prompt|content|request|respon|completion|quer(?:y|ies)|question|answer|document|messages|chat|sample"
    r"|input|body).*"
)
