"""QSGD: norm, signs and levels drawn by chance; all ranks gather all codes and add up what they read [QSGD]_.

A rank's entry ``v`` lies ``t = s |v| / |x|_2`` levels above 0, of its vector ``x``.  Its level is ``floor(t)``, or
one more with the chance ``t - floor(t)``, at most ``s``, and it is read as ``|x|_2 / s`` times its level, with its
sign: so it is right in expectation.  Ranks have different norms, so that codes do not add up as they are.
Each rank sends its codes to all others, in one step, and all add up what they read, their own codes
included, in the order of the ranks.  So all end with the same bits.

A message has the *unit*, ``|x|_2 / s``, in the type of the vector, then for each entry a number: its level, and
above it a bit that is set where ``v < 0``.  The norm's squares are added up as in ``spec/codecs/sign_codec.py``, and
chances drawn as in the page ``thc``.  The paper codes levels by Elias' code, which is shorter where most
are 0, and of a length that is told apart; that is not here.

``by_max = 1`` divides by the greatest magnitude, as many ports do.  That is right in expectation, too, and less
far off, since no norm is smaller; but then most levels need not be 0: of ``d`` equal entries all are ``s``.

Requires: ``p >= 1``; vectors of one length and floating-point type; ``levels >= 1``; ``seed >= 0``.
Ensures:  all ranks hold the same bits.  In exact arithmetic what is read of a vector of ``d`` entries is in
expectation, to within ``2**-53`` of a unit, the vector; squared, it is off by at most
``min(d / s**2, sqrt(d) / s) |x|_2**2``, and at most ``s (s + sqrt(d))`` levels are not 0, in expectation.

A vector of zeros has a unit of 0.  Where an entry is NaN or infinite, or a unit is no finite number, the unit
is NaN and all of the result.

>>> from sparring import run
>>> ran = run("qsgd", [[3.0, 0.0, -4.0, 0.0], [0.0, 0.0, 0.0, 2.0]], levels=5)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[1.0, 3, 12] 1->0:[0.4, 0, 80]
>>> ran.results[1]
[3.0, 0.0, -4.0, 2.0]

.. [QSGD] D. Alistarh, D. Grubic, J. Li, R. Tomioka and M. Vojnovic, "QSGD: Communication-efficient SGD via gradient
   quantization and encoding", NeurIPS 2017, arXiv:1610.02132.
"""

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.codecs.level_codec import Levels, leveled, unit
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, each, plain, total
from sparring.spec.library.counter_rng import above, chances, raised, rises, whole

data = "dense"
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``levels``: what the norm is, in units; ``seed``: of the chances; ``by_max``: 1 for the greatest magnitude."""

    levels: Annotated[int, Between(1, 2**16)] = 4
    seed: Annotated[int, Between(0)] = 0
    by_max: Literal[0, 1] = 0


def level(v: Any, one: Any, chance: Any, levels: Int) -> Int:
    """The level of an entry, 0 without a unit; ``chance``, below 2^53, decides whether it is rounded up."""
    t = above(abs(v), one)
    return raised(whole(t), rises(t, chance), levels)


def program(x: Vector, r: int, call: int, params: Params) -> Text:
    one = unit(x, params.levels, params.by_max)
    q = each(level, x, one, chances(params.seed, call, r, x), params.levels)
    y = yield allreduce(leveled(one, q, x), Levels(params.levels), through="direct_allgather")
    return plain(y)


def ensures(x: Vector, r: int, call: int, params: Params) -> Any:
    """What all ranks end with: the sum of what is read of each rank's levels, drawn by its own chances."""
    one = unit(x, params.levels, params.by_max)
    return total(leveled(one, each(level, x, one, chances(params.seed, call, r, x), params.levels), x))
