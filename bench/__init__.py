"""Measure the installed command against its bars, on inputs that are made here."""
