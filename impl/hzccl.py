"""hZCCL on mpi4py: every rank rounds once, to multiples of a step, and sums of these are exact [HZ24]_.

The code of an entry is how many steps it has, a whole number; a step is twice the error bound.  Every vector is cut
into ``p`` parts; rank ``r`` adds up part ``r``.  All ranks send each other the codes of each other's parts, each adds
up what it reads, its own included, and sends the sums of its own part to all.  What a message holds is told in
:mod:`sparring.impl.codecs.difference_blocks`.

The paper adds compressed blocks without making the numbers out of them, and sends around a ring.  Sums of whole numbers
have no order, so all ways give all ranks the same bits; zeros of a result are +0.0.

.. [HZ24] J. Huang, S. Di, X. Yu, Y. Zhai, J. Liu, Z. Jian, X. Liang, K. Zhao, X. Lu, Z. Chen, F. Cappello, Y. Guo and
   R. Thakur, "hZCCL: Accelerating collective communication with co-designed homomorphic compression", SC 2024,
   doi:10.1109/SC41406.2024.00110.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs.difference_blocks import decode, encode, room
from sparring.impl.codecs.integer_bytes import Wholes
from sparring.impl.core.alltoall import begin, exchanged
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector, private
from sparring.impl.flash import admitted

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

EXPONENTS = 64
"""An error bound is from ``2**-64`` to ``2**64``."""
LARGEST = 1 << 26
"""No sum of codes is further from 0."""
FAR = 3 * LARGEST
"""The code of what has none: with it every sum is more than twice the largest."""
BITS = 30
"""Of twice the difference of two codes."""


def allreduce(
    comm: Intracomm, x: Vector, /, *, exponent: int = 10, out: Vector | None = None, validate: bool = True
) -> Vector:
    """The sum of all ranks' ``x`` to within ``p * 2**-exponent``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32 or float64, of any length, also shorter than there are ranks.
    ``exponent``: from -64 to 64; every rank rounds its entries to multiples of ``2 * 2**-exponent``.  ``out``: where
    the result goes, ``x`` itself included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays
    as it is.  Beside it a rank needs room for ``x`` as int64 and for two messages of each part.

    Where a rank has NaN, an infinity, or an entry of more than ``2**(26 - ceil(log2 p))`` steps, all ranks have NaN
    there.  A result of more than ``2**24`` steps is rounded once more to what float32 has room for.

    Raises InputError for other vectors and parameters.  Every rank must have the same dtype, length and
    ``exponent``.  With ``validate``, two exchanges of a few integers a rank make sure of that first, and a
    fault on one rank raises InputError on all; without it each rank's arguments are still checked, but
    ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own = private(comm)
    settle(own, {"exponent": (exponent, -EXPONENTS)}, validate)
    if exponent > EXPONENTS:
        raise InputError(f"exponent = {exponent}: it must be at most {EXPONENTS}")
    y = admitted(own, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    parts = [slice(begin(c, x.size, p), begin(c + 1, x.size, p)) for c in range(p)]
    unit = x.dtype.type(2.0 ** (1 - int(exponent)))
    codes = coded(x, unit, p)
    going = [encode(codes[part]) for part in parts]
    coming = [going[r] if q == r else np.empty(room(codes[parts[r]].size, BITS), np.uint8) for q in range(p)]
    total = np.zeros(codes[parts[r]].size, np.int64)
    for q in exchanged(own, going, coming):
        total += decode(coming[q], total.size)
    mine = encode(total)
    sums = [mine if q == r else np.empty(room(codes[part].size, wide(p)), np.uint8) for q, part in enumerate(parts)]
    for q in exchanged(own, [mine] * p, sums):
        codes[parts[q]] = decode(sums[q], codes[parts[q]].size)
    y[:] = np.where(codes < FAR - LARGEST, codes, np.nan) * unit
    return y


def coded(x: Vector, unit: Any, p: int) -> Wholes:
    """By entry, how many steps it has."""
    with np.errstate(all="ignore"):
        steps = x / unit
        return np.where(np.abs(steps) <= most(p), np.rint(steps), FAR).astype(np.int64)


def most(p: int) -> int:
    """The most steps of an entry that has a code."""
    return LARGEST >> (p - 1).bit_length()


def wide(p: int) -> int:
    """The bits of what is told of sums."""
    return BITS + (p - 1).bit_length()
