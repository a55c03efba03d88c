"""The implementations: mpi4py and numpy, written from the papers and never from the pages.

``core`` has what they share, messages and arguments; ``codecs`` codes of a few bits, ``selectors`` selectors,
``training`` steps of training on top of an allreduce.
"""

if not __name__.startswith("sparring."):
    raise ImportError("import sparring.impl, not impl: the folder at the top is a room of the package sparring")
