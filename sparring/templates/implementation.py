"""Pairwise exchange allreduce on mpi4py; the first half is the reduce-scatter of [TRG05]_.

An implementation is written from the paper and does not import its page: what looks things up in
the reference is only compared with itself.

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Performance Computing Applications 19(1), 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm  # for its name only: simulated ranks bring their own


# Who and where, in small functions of integers: they can be proved equal to the page's for every p.


def above(r: int, d: int, p: int) -> int:
    """To whom rank ``r`` sends at distance ``d``."""
    return (r + d) % p


def below(r: int, d: int, p: int) -> int:
    """From whom rank ``r`` receives at distance ``d``."""
    return (r - d) % p


def cut(c: int, n: int, p: int) -> int:
    """Where block ``c`` of ``n`` entries begins; it ends where block ``c + 1`` begins."""
    return c * n // p


def allreduce(comm: Intracomm, x: NDArray[Any], /) -> NDArray[Any]:
    """The sum of all ranks' ``x``, a contiguous vector, the same bits on every rank; ``x`` stays as it is."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    block = [slice(cut(c, n, p), cut(c + 1, n, p)) for c in range(p)]  # some are empty if n < p
    y = x.copy()
    mine = y[block[r]]
    inbox = np.empty_like(mine)
    for d in range(1, p):  # collect: each rank sends me its copy of my block
        to, source = above(r, d, p), below(r, d, p)
        comm.Sendrecv(x[block[to]], to, recvbuf=inbox, source=source)
        mine[:] = inbox + mine
    mine += mine.dtype.type(0)  # -0.0 becomes +0.0, as in every result of the reference
    for d in range(1, p):  # hand out: each rank sends me its finished block
        to, source = above(r, d, p), below(r, d, p)
        comm.Sendrecv(mine, to, recvbuf=y[block[source]], source=source)
    return y
