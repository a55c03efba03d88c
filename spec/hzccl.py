"""hZCCL: every rank rounds once, to multiples of a step, and sums of these are exact [HZ24]_.

With an error bound ``e``, a power of two, the code of an entry ``v`` is ``v / (2 e)``, rounded to the nearest whole
number.  So what is read of a code, ``2 e`` times it, is within ``e`` of the entry.  A sum of codes is the code of the
sum: nothing is rounded again on the way, and in the end a result is within ``p e`` of the sum of all vectors.

Cut every vector into ``p`` chunks, of which rank ``c`` adds up chunk ``c``.  In the first step every rank sends each
other rank its codes of the other's chunk, in the second the sums of its own chunk to all.  They travel as differences
from entry to entry, in blocks that are as wide as their largest needs (``spec/codecs/difference_blocks.py``): where
neighbours are alike within the bound, in next to nothing.

In the paper messages go around a ring, and compressed blocks are added as they are, without the numbers being made out
of them.  Neither changes a sum of whole numbers, which is the same in any order; two steps are this page's own, and how
fast codes are added is no matter of a page.  The paper takes any error bound, also one in parts of the range: powers of
two, by which floats are divided without rounding, are this page's own.  So is what becomes of entries without a code.

Requires: ``p >= 1``; vectors of one length and floating-point type; ``exponent`` from -64 to 64.
Ensures:  all ranks hold the same bits.  In exact arithmetic an entry is within ``p 2**-exponent`` of the sum of all
vectors.  Where a rank has NaN, an infinity, or more than ``2**(26 - ceil(log2 p))`` steps, all read NaN, there and
nowhere else: the code of such an entry is ``3 2**26``, so that no sum with it comes back to what sums of others reach.

>>> from sparring import run
>>> ran = run("hzccl", [[0.2, 0.3, 2.0, -1.9], [1.1, 1.4, 0.0, float("inf")]], exponent=1)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries[:9]}" for src, dst, entries in wire))
0 0->1:[3, 12, 0, 0, 0, 0, 0, 0, 0] 1->0:[2, 2, 0, 0, 0, 0, 0, 0, 0]
1 0->1:[2, 2, 0, 0, 0, 0, 0, 0, 0] 1->0:[29, 4, 248, 0, 0, 0, 0, 0, 0]
>>> ran.results[0]
[1.0, 1.0, 2.0, nan]

.. [HZ24] J. Huang, S. Di, X. Yu, Y. Zhai, J. Liu, Z. Jian, X. Liang, K. Zhao, X. Lu, Z. Chen, F. Cappello, Y. Guo and
   R. Thakur, "hZCCL: Accelerating collective communication with co-designed homomorphic compression", SC 2024,
   doi:10.1109/SC41406.2024.00110.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.codecs.difference_blocks import Differences
from sparring.spec.codecs.packed_integers import wide
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, reduce_scatter
from sparring.spec.core.vectors import Vector, each, total
from sparring.spec.library.fixed_point import BITS, most, nearest, step, value

data = "dense"
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``exponent``: of one over the error bound, which is ``2**-exponent``."""

    exponent: Annotated[int, Between(-64, 64)] = 10


def program(x: Vector, r: int, p: int, params: Params) -> Text:
    unit = step(x, params.exponent)
    sums = yield reduce_scatter(each(nearest, x, unit, most(p)), Differences(BITS))
    q = yield allgather(sums, Differences(wide(BITS, p)))
    return each(value, q, unit)


def ensures(x: Vector, r: int, p: int, params: Params) -> Any:
    """What all ranks end with: what is read of the sum of codes."""
    unit = step(x, params.exponent)
    return each(value, total(each(nearest, x, unit, most(p))), unit)
