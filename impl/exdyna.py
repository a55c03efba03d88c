"""ExDyna on mpi4py: exclusive parts of a vector whose bounds move, so that ranks select about as many entries [YO24]_.

What a rank selects and sends is as in :mod:`sparring.impl.micro`, but for its part: a run of blocks.  After each call
neighbours whose parts had too many and too few selected entries move the bound between them by a block.  All ranks know
all selected entries, so they move the same bounds and need no message for it.

.. [YO24] D. Yoon and S. Oh, "Preserving near-optimal gradient sparsification cost for scalable distributed deep
   learning", CCGrid 2024, arXiv:2402.13781; code: github.com/kljp/exdyna.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl import micro
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MOST = 1 << 32
"""There are at most so many blocks, and a block has a multiple of at most so many entries."""


def length(n: Any, blocks: Any, unit: Any) -> Any:
    """How many entries a block has."""
    return n // blocks // unit * unit


def crowded(found: Any, mean: Any) -> Any:
    """Whether far more than the mean were selected in a part."""
    return 20 * found > 21 * mean


def scarce(found: Any, mean: Any) -> Any:
    """Whether far fewer were."""
    return 100_000 * found < 95_238 * mean


def gives(own: Any, blocks: Any, p: Any) -> Any:
    """Whether a part of so many blocks may give one away."""
    return 4 * p * (own - 1) >= blocks


class Allreduce(micro.Allreduce):
    """A sum of vectors of ``n`` floats at entries that ranks select, each in a part of its own, whose bounds move.

    ``blocks``: how many blocks there are; ``unit``: a block has a multiple of so many entries; what is left is with the
    last part.  Both are whole numbers, 1 or more, the same on every rank; other parameters are those of
    :class:`sparring.impl.micro.Allreduce`.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, first: int = 50_000, gain: int = 5, blocks: int = 1024,
        unit: int = 32, through: str = "ring", allow_nan: bool = True, validate: bool = True,
    ) -> None:
        given: Any = {"k": k, "first": first, "gain": gain, "through": through}
        super().__init__(comm, n, **given, allow_nan=allow_nan, validate=validate)
        settle(self._comm, {"blocks": (blocks, 1), "unit": (unit, 1)}, validate, unlike(blocks, unit))
        self._blocks, self._size, self._p = int(blocks), length(self._n, int(blocks), int(unit)), comm.Get_size()
        self._cuts = [micro.begin(c, self._blocks, self._p) for c in range(self._p)]

    def _bounds(self) -> NDArray[np.int64]:
        """With which entries parts begin, and the end."""
        starts = [self._size * cut for cut in self._cuts]
        if not self._size:  # of a vector that is too short for blocks
            starts = [micro.begin(c, self._n, self._p) for c in range(self._p)]
        return np.array([*starts, self._n])

    def _part(self) -> tuple[int, int]:
        c = micro.part(self._calls + self._comm.Get_rank(), self._p)
        start, end = self._bounds()[c : c + 2].tolist()
        return start, end

    def _followed(self, least: Any, at: NDArray[np.int64]) -> Any:
        found = np.diff(np.searchsorted(at, self._bounds())).tolist()
        mean = sum(found) // self._p
        for c in range(1, self._p):
            left, right = found[c - 1 : c + 1]
            if self._moves(left, right, c - 1, mean):
                way = -1
            elif self._moves(right, left, c, mean):
                way = 1
            else:
                continue
            moved = way * (self._size * at.size // self._n)
            self._cuts[c], found[c] = self._cuts[c] + way, right - moved
        return super()._followed(least, at)

    def _moves(self, more: int, less: int, giver: int, mean: int) -> bool:
        """Whether a part gives its neighbour a block."""
        begin, end = [*self._cuts, self._blocks][giver : giver + 2]
        return bool(crowded(more, mean) and scarce(less, mean) and gives(end - begin, self._blocks, self._p))


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, first: int = 50_000, gain: int = 5, blocks: int = 1024,
    unit: int = 32, through: str = "ring", allow_nan: bool = True, validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it does not send is lost.  Collective."""
    given: Any = {"k": k, "first": first, "gain": gain, "blocks": blocks, "unit": unit, "through": through}
    return Allreduce(comm, np.size(x), **given, allow_nan=allow_nan, validate=validate)(x)


def unlike(blocks: Any, unit: Any) -> str:
    """What is wrong with these numbers beside those that are too small; empty where nothing is."""
    odd = (f"{name} = {x}: it must be at most {MOST}" for name, x in (("blocks", blocks), ("unit", unit))
           if isinstance(x, Integral) and int(x) > MOST)
    return next(odd, "")
