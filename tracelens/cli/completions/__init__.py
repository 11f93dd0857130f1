"""Completion scripts for shells, generated from the parser of the command line: there is no second list to keep."""
