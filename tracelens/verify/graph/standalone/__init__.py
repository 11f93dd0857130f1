"""What runs in child processes: the text of a graph to data, and data to a graph.

Nothing here imports another part of tracelens, and the modules import each other
relatively: a child puts the folder above this one on its path and imports
``standalone``, whether or not tracelens is installed for the Python it runs on.
``reading`` needs the standard library only, ``building`` also torch.
"""
