"""Tensor homomorphic compression: codes on one common grid are added as they are, as whole numbers [THC]_.

First all ranks tell each other the least and the greatest of their entries.  All make one grid of them:
``low`` is the least of all, and with ``2**bits - 1 = L`` the step is ``(high - low) / L``.  An entry ``v`` lies
``t = (v - low) / step`` steps above ``low``: its code is ``floor(t)``, or one more with the chance ``t - floor(t)``.
So a code is right in expectation, and a sum of codes is the code of a sum.

Cut every vector into ``p`` chunks, of which rank ``c`` adds up chunk ``c``: in the second step every rank
sends each other rank the codes of the other's chunk, in ``bits`` bits each, and in the third it sends all
others the sums of codes of its own, in ``bits + ceil(log2(p))`` bits.  An entry is read as
``p low + step q`` where ``q`` is the sum of its codes.  Whole numbers add up alike in any order, so that any
allreduce of codes gives all ranks the same bits; this one sends the fewest that two steps can.

A rank draws its chances by itself: a hash of the seed, the number of the call, its rank and the index, to
53 bits (``spec/library/counter_rng.py``).  The paper's switch that adds, its rotation of vectors before, and
its tables of unequal steps are not here.  How messages lie is this page's own.

Requires: ``p >= 1``; vectors of one length and floating-point type; ``bits`` from 1 to 8; ``seed >= 0``.
Ensures:  all ranks hold the same bits.  In exact arithmetic the result is in expectation, to within
``p step 2**-53``, the sum of all vectors, and the variance of an entry is at most ``p step**2 / 4``.

Where an entry is NaN or infinite, or the range overflows, all of the result is NaN.  Where all entries are
equal, or their step is too small for a number, all are read as ``low``.

>>> from sparring import run
>>> ran = run("thc", [[0.0, 3.0, 9.0, 15.0], [0.0, 12.0, 1.0, 0.5]], bits=4)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0.0, 15.0] 1->0:[0.0, 12.0]
1 0->1:[249] 1->0:[192]
2 0->1:[240, 0] 1->0:[250, 0]
>>> ran.results[0]
[0.0, 15.0, 10.0, 15.0]

.. [THC] M. Li, R. Ben Basat, S. Vargaftik, C. Lao, K. Xu, M. Mitzenmacher and M. Yu, "THC: Accelerating distributed
   deep learning using tensor homomorphic compression", NSDI 2024, arXiv:2302.08545.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.codecs.packed_integers import Packed, Raw, most, wide
from sparring.spec.codecs.shared_grid import extremes, grid
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, gather, reduce_scatter
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, each, gathered, total
from sparring.spec.library.counter_rng import above, chances, raised, rises, whole

data = "dense"
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``bits``: of a code; ``seed``: of the chances that codes are rounded by."""

    bits: Annotated[int, Between(1, 8)] = 4
    seed: Annotated[int, Between(0)] = 0


def code(v: Any, low: Any, step: Any, chance: Any, bits: Any) -> Int:
    """The code of an entry, 0 without a step; ``chance``, below 2^53, decides whether it is rounded up."""
    t = above(v - low, step)
    return raised(whole(t), rises(t, chance), most(bits))


def value(low: Any, step: Any, q: Any, p: Any) -> Any:
    """What is read as the sum of ``p`` ranks' entries whose codes add up to ``q``."""
    return low * p + step * q


def program(x: Vector, r: int, p: int, call: int, params: Params) -> Text:
    ends = yield gather(extremes(x), Raw())
    at = grid(ends, params.bits)
    codes = each(code, x, at.low, at.step, chances(params.seed, call, r, x), params.bits)
    sums = yield reduce_scatter(codes, Packed(params.bits))
    q = yield allgather(sums, Packed(wide(params.bits, p)))
    return value(at.low, at.step, q, p)


def ensures(x: Vector, r: int, p: int, call: int, params: Params) -> Any:
    """What all ranks end with: what is read of the sum of codes on the grid of all."""
    at = grid(gathered(extremes(x)), params.bits)
    codes = each(code, x, at.low, at.step, chances(params.seed, call, r, x), params.bits)
    return value(at.low, at.step, total(codes), p)
