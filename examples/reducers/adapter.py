"""Their reducer as ``sparring check`` calls one: an instance gets vectors, returns results and shows what it keeps."""

from typing import Any

import theirs
from mpi4py.MPI import Intracomm
from numpy.typing import NDArray


class Adapter:
    """``T(comm, n, k)``, whose calls get a vector of ``n`` entries.

    Their code takes all ranks of the world, so it gets the communicator from here.  It says how many entries are kept
    by a density, and keeps its residuals in a class, by name.
    """

    def __init__(self, comm: Intracomm, n: int, k: int) -> None:
        theirs.comm = comm
        theirs.Compressor.residuals = {}
        self.reducer = theirs.AllReducer(k / n)

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        self.reducer.todo.put(("layer", x))
        self.reducer.run()
        return self.reducer.done.get()[1]

    @property
    def residual(self) -> NDArray[Any]:
        """What is left out, for conservation."""
        return theirs.Compressor.residuals["layer"]
