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
53 bits (``spec/core/chance.py``).  The paper's switch that adds, its rotation of vectors before, and
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

from collections.abc import Callable, Sequence
from functools import reduce
from math import isfinite
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core import wholes
from sparring.spec.core.cells import copy
from sparring.spec.core.chance import FINE, drawn, rounded
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int
from sparring.spec.core.runner import Message, Outcome, Played
from sparring.spec.core.schedule import number

data = "dense"
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``bits``: of a code; ``seed``: of the chances that codes are rounded by."""

    bits: int = 4
    seed: int = 0


class State(NamedTuple):
    """``call``: how many there were."""

    call: int = 0


class Grid(NamedTuple):
    """What is read as code 0, and the step from a code to the next; both NaN where there is no range."""

    low: Any
    step: Any


def checked(params: Params) -> None:
    """Raises InputError for a width that codes cannot have, or a negative seed."""
    if not 1 <= params.bits <= 8:
        raise InputError(f"bits = {params.bits}: a code must have 1 to 8 bits")
    if params.seed < 0:
        raise InputError(f"seed = {params.seed}: it must be 0 or more")


def dst(r: Int, j: Int, p: Int) -> Int: return (r + j) % p  # to whom rank r's j-th message goes, j = 1, ..., p - 1
def src(r: Int, j: Int, p: Int) -> Int: return (r - j) % p


def most(bits: int) -> int:
    """The greatest code."""
    return (1 << bits) - 1


def wide(bits: int, p: int) -> int:
    """How many bits the sum of ``p`` codes has room in: ``bits`` and ``ceil(log2(p))``."""
    return bits + (p - 1).bit_length()


def octets(c: Int, bits: int) -> Int:
    """How many bytes a message of ``c`` codes, or sums, of so many bits has."""
    return wholes.octets(c, bits)


def sums(a: Any, b: Any) -> Any:
    """Two codes, or sums of codes, in one."""
    return a + b


def value(low: Any, step: Any, q: Any, p: Any) -> Any:
    """What is read as the sum of ``p`` ranks' entries whose codes add up to ``q``."""
    return low * p + step * q


def taken(r: Int, c: Int, total: Any, read: Any) -> Any:
    """What rank ``r`` takes of chunk ``c``: what is read of the sum of codes, and not of a sum of its own."""
    return read


def extremes(x: Any, none: Any) -> list[Any]:
    """The least and the greatest entry of a rank; NaN twice, where there is NaN or an infinity."""
    if len(x) == 0:
        return [none, none]
    least, greatest = min(x), max(x)
    return [least + 0, greatest + 0] if all(map(isfinite, x)) else [type(least)("nan")] * 2


def grid(told: Sequence[Sequence[Any]], bits: int) -> Grid:
    """The grid of all ranks, of what each of them told."""
    low, high = min(one[0] for one in told), max(one[1] for one in told)
    step = (high - low) / most(bits)
    if any(one[0] != one[0] for one in told) or not isfinite(step):
        return Grid(*[type(low)("nan")] * 2)
    return Grid(low, step)


def code(v: Any, at: Grid, bits: int, chance: int) -> int:
    """The code of an entry, 0 without a step; ``chance``, below 2^53, decides whether it is rounded up."""
    return bool(at.step > 0) and min(rounded((v - at.low) / at.step, chance), most(bits))


def coded(x: Any, at: Grid, params: Params, *counters: int) -> list[int]:
    """The codes of a rank's vector in a call."""
    return [code(v, at, params.bits, drawn(params.seed, *counters, i) >> 64 - FINE) for i, v in enumerate(x)]


def bytewise(values: Sequence[Any]) -> bool:
    """Whether all have bytes."""
    return all(hasattr(v, "tobytes") for v in values)


def written(values: Sequence[Any]) -> Any:
    """A message of numbers: bytes where they have any."""
    return memoryview(b"".join(v.tobytes() for v in values)) if bytewise(values) else list(values)


def told(x: Any, numbers: Sequence[int], bits: int) -> Any:
    """A message of codes, beside vectors such as ``x``."""
    message = wholes.packed(numbers, bits)
    return memoryview(message) if hasattr(x, "tobytes") else list(message)


def sent(p: int, entries: Callable[[int, int], Any]) -> list[Message]:
    """A step in which each rank sends to each other: ``entries(r, d)`` from rank ``r`` to rank ``d``."""
    pairs = [(r, number(dst(r, j, p))) for r in range(p) for j in range(1, p)]
    return [Message(r, d, entries(r, d)) for r, d in pairs]


def zero(x: Any) -> Any:
    """Of the vector's type, where that has one whatever its entries."""
    return x.dtype.type(0) if hasattr(x, "dtype") else 0


def like(x: Any, values: Sequence[Any]) -> Any:
    """These values in a vector of ``x``'s class."""
    y = copy(x)
    y[:] = values
    return y


def program(xs: Sequence[Sequence[Any]], state: State, params: Params) -> Played:
    """A call: its three steps, and what all ranks have in the end."""
    checked(params)
    x, *_ = xs
    p, n = len(xs), len(x)
    ends = [extremes(x, zero(x)) for x in xs]
    yield sent(p, lambda r, d: written(ends[r]))
    at = grid(ends, params.bits)
    cuts = [slice(number(bound(c, n, p)), number(bound(c + 1, n, p))) for c in range(p)]
    mine = [coded(x, at, params, state.call, r) for r, x in enumerate(xs)]
    yield sent(p, lambda r, d: told(x, mine[r][cuts[d]], params.bits))
    totals = [[reduce(sums, qs) for qs in zip(*(one[cut] for one in mine))] for cut in cuts]
    yield sent(p, lambda r, d: told(x, totals[r], wide(params.bits, p)))
    reads = [[value(at.low, at.step, q, p) for q in total] for total in totals]
    each = [[taken(r, c, *v) for c in range(p) for v in zip(totals[c], reads[c])] for r in range(p)]
    return Outcome([like(x, y) for x, y in zip(xs, each)], [], State(state.call + 1))
