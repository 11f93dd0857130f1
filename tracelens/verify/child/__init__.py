"""What runs in the child process of a verification, beside torch.

The Python of the child is the user's own and need not have tracelens, so these
modules import the standard library, torch and each other, and nothing else.
``start.py`` is the way in; torch is imported where it is first needed.
"""
