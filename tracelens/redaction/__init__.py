"""Takes what belongs to somebody out of a text, and leaves what a diagnosis rests on.

Secrets, people and machines are replaced by placeholders; the same name gets
the same placeholder everywhere. Versions, paths of packages, compile ids and
cache hashes stay. Every pattern runs in linear time, whatever the text.
"""

from tracelens.redaction.ledger import Kind
from tracelens.redaction.records import redact_record
from tracelens.redaction.redactor import Redactor

__all__ = ["Kind", "Redactor", "redact_record"]
