"""Runs the failing graph again on this machine, with and without each fix."""
