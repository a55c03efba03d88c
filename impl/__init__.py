"""The implementations: mpi4py and numpy, written from the papers; nothing here imports ``spec``."""

if not __name__.startswith("sparring."):
    raise ImportError("import sparring.impl, not impl: the folder at the top is a room of the package sparring")
