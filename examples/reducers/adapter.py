"""Their reducer as ``sparring check`` calls one: an instance gets vectors, returns results and shows what it keeps."""

import theirs


class Adapter:
    """``T(comm, n, k)``, whose calls get a vector of ``n`` entries.

    Their code takes all ranks of the world, so it is judged where these are ``comm``'s: simulated, or on ``--ranks P``
    real ones.  It says how many entries are kept by a density, and keeps its residuals in a class, by name.
    """

    def __init__(self, comm, n, k):
        theirs.comm = comm
        theirs.Compressor.residuals = {}
        self.reducer = theirs.AllReducer(k / n)

    def __call__(self, x):
        self.reducer.todo.put(("layer", x))
        self.reducer.run()
        return self.reducer.done.get()[1]

    @property
    def residual(self):
        """What is left out, for conservation."""
        return theirs.Compressor.residuals["layer"]
