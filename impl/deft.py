"""DEFT on mpi4py: layers are dealt out to ranks, each of which selects the largest entries of its own [YO23b]_.

A rank adds to its vector what it has not sent so far, and finds by the norms of layers how many entries to select in
each.  In call ``t`` rank ``t mod p`` says whose layers are whose, by the work that they make, and broadcasts that.
Each rank selects in its layers; counts and indices are gathered by MPI's own collectives, and an allreduce adds the
values of all ranks at all these indices.  Of layers that the leader would select as a whole all ranks send everything.

.. [YO23b] D. Yoon and S. Oh, "DEFT: Exploiting gradient norm difference between model layers for scalable gradient
   sparsification", ICPP 2023, arXiv:2307.03500; code: github.com/kljp/deft.
"""

from __future__ import annotations

from itertools import compress
from math import inf, log2, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.arc_top_k import halved
from sparring.impl.clt_k import SCHEDULES, leader
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.selection import first, magnitudes
from sparring.impl.core.transport import Vector
from sparring.impl.micro import begin, gathered, part

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

NOBODY = -1
"""Whose a layer is that all send."""


class Allreduce(Keeping):
    """A sum of vectors of ``n`` floats at entries that ranks select, each in layers of its own; the rest waits.

    Parameters
    ----------
    k : how many entries a rank would select in all layers.
    layers : how many layers there are, of about one length; each that is longer than ``n / p`` counts as ``p`` layers.
    through : how the sums are made, ``"ring"`` or ``"two_shot"``.

    It counts its calls, so that ranks take turns.  Made collectively, with the same arguments on every rank.  With
    ``validate``, one exchange of a few integers a rank makes sure of that, here and in each call; without it ranks
    that differ hang or compute nonsense.  ``allow_nan``: whether a vector may hold NaN, which is selected first.
    """

    most: ClassVar = {"layers": 1 << 14}

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, layers: int = 16, through: str = "ring",
        allow_nan: bool = True, validate: bool = True,
    ) -> None:
        numbers = {"k": (k, 0), "layers": (layers, 1), "through": place(through, SCHEDULES)}
        fault = "" if through in SCHEDULES else f"through = {through!r}: it must be one of {', '.join(SCHEDULES)}"
        super().__init__(comm, n, numbers, allow_nan=allow_nan, validate=validate, fault=fault)
        self._k, self._sum, self._calls = int(k), SCHEDULES[through], 0
        self._spans = cut(self._n, int(layers), comm.Get_size())
        self._lengths = [end - start for start, end in self._spans]

    def __call__(self, x: Vector, /) -> Vector:
        """The sum of all ranks' ``x`` and residuals at the selected entries; elsewhere +0.0.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it is.
        The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``, and leaves
        what is remembered as it was.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held, comm = self._admitted(x), self._comm
        p = comm.Get_size()
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and sums overflow
            np.add(held, x, out=held)
            many = wanted([norm(held[start:end]) for start, end in self._spans], self._lengths, self._k)
            owners = np.array(dealt(self._lengths, many, p), np.int64)
            comm.Bcast(owners, leader(self._calls, p))
            mine = self._selected(held, many, owners == part(self._calls + comm.Get_rank(), p))
            at = np.sort(np.concatenate([gathered(comm, mine), self._selected(held, self._lengths, owners == NOBODY)]))
            y = np.zeros_like(held)
            y[at] = self._sum(comm, held[at], validate=False)
        held[at] = 0
        self._calls += 1
        return y

    def _selected(self, v: Vector, many: list[int], own: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The indices of the largest entries of some layers, so many of each."""
        rows = compress(zip(self._spans, many), own)
        found = [start + first(magnitudes(v[start:end]), f) for (start, end), f in rows]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, of which there are norms")


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, layers: int = 16, through: str = "ring", allow_nan: bool = True,
    validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it does not send is lost.  Collective."""
    return Allreduce(comm, np.size(x), k=k, layers=layers, through=through, allow_nan=allow_nan, validate=validate)(x)


def cut(n: int, layers: int, p: int) -> list[tuple[int, int]]:
    """Where each layer begins and ends."""
    found = []
    for i in range(layers):
        start, size = begin(i, n, layers), begin(i + 1, n, layers) - begin(i, n, layers)
        pieces = p if size * p > n else 1
        found += [(start + begin(c, size, pieces), start + begin(c + 1, size, pieces)) for c in range(pieces)]
    return found


def norm(v: Vector) -> float:
    """The root of the sum of squares."""
    if not v.size:
        return 0.0
    (total,) = halved(np.square(v, dtype=np.float64)[None, :])
    return sqrt(total)


def wanted(norms: list[float], lengths: list[int], k: int) -> list[int]:
    """How many entries of each layer are selected: in the order of norms a part of what is left of ``k``."""
    found, left, rest = dict[int, int](), k, 0.0
    for x in norms:
        rest += x
    for i in sorted(range(len(norms)), key=lambda i: -norms[i]):
        found[i] = within(int(left * (norms[i] / rest if 0 < rest < inf else 0.0)), lengths[i])
        left, rest = left - found[i], rest - norms[i]
    return [found[i] for i in range(len(norms))]


def within(wanted: Any, most: Any) -> Any:
    """At least one entry, and no more than a layer has."""
    return min(max(wanted, 1), most)


def dealt(lengths: list[int], many: list[int], p: int) -> list[int]:
    """In whose bin each layer is; the most work first, each where least is so far."""
    work = [length * log2(max(f, 2)) for length, f in zip(lengths, many)]
    owners, load = [NOBODY] * len(work), [0.0] * p
    for i in sorted(range(len(work)), key=lambda i: -work[i]):
        if many[i] < lengths[i]:
            owners[i] = load.index(min(load))
            load[owners[i]] += work[i]
    return owners
