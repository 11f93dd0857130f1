"""Renderers: a ``Diagnosis`` in, text out.

They compute nothing and read nothing: what they show is in the diagnosis.
Log text reaches a reader only through ``report.harmless``.
"""
