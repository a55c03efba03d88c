"""QSGD: norm, signs and levels drawn by chance; all ranks gather all codes and add up what they read [QSGD]_.

A rank's entry ``v`` lies ``t = s |v| / |x|_2`` levels above 0, of its vector ``x``.  Its level is ``floor(t)``, or
one more with the chance ``t - floor(t)``, at most ``s``, and it is read as ``|x|_2 / s`` times its level, with its
sign: so it is right in expectation.  Ranks have different norms, so that codes do not add up as they are.
Each rank sends its codes to all others, in one step, and all add up what they read, their own codes
included, in the order of the ranks.  So all end with the same bits.

A message has the *unit*, ``|x|_2 / s``, in the type of the vector, then for each entry a number: its level, and
above it a bit that is set where ``v < 0``.  The norm's squares are added up as in ``spec/core/signs.py``, and
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

from collections.abc import Sequence
from functools import reduce
from math import isfinite
from operator import add
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core import wholes
from sparring.spec.core.cells import copy
from sparring.spec.core.chance import FINE, drawn, rounded
from sparring.spec.core.numbers import Int
from sparring.spec.core.runner import Message, Outcome, Played
from sparring.spec.core.schedule import number
from sparring.spec.core.signs import exact, floating, folded, root

data = "dense"
dtypes = ("float32", "float64")
MOST = 1 << 16


class Params(NamedTuple):
    """``levels``: what the norm is, in units; ``seed``: of the chances; ``by_max``: 1 for the greatest magnitude."""

    levels: int = 4
    seed: int = 0
    by_max: int = 0


class State(NamedTuple):
    """``call``: how many there were."""

    call: int = 0


class Coded(NamedTuple):
    """A coded vector: its unit, by entry the level, and whether it is below 0."""

    unit: Any
    levels: list[int]
    below: list[int]


def checked(params: Params) -> None:
    """Raises InputError for parameters that codes cannot have."""
    if not 1 <= params.levels <= MOST:
        raise InputError(f"levels = {params.levels}: there must be 1 to {MOST}")
    if params.seed < 0:
        raise InputError(f"seed = {params.seed}: it must be 0 or more")
    if params.by_max not in (0, 1):
        raise InputError(f"by_max = {params.by_max}: it must be 0 or 1")


def dst(r: Int, j: Int, p: Int) -> Int: return (r + j) % p  # to whom rank r's j-th message goes, j = 1, ..., p - 1
def src(r: Int, j: Int, p: Int) -> Int: return (r - j) % p


def width(levels: int) -> int:
    """The bits of a level and of its sign."""
    return levels.bit_length() + 1


def octets(c: Int, levels: int, size: int) -> Int:
    """How many bytes the message of ``c`` entries has, with a unit of ``size`` bytes."""
    return size + wholes.octets(c, width(levels))


def taken(r: Int, q: Int, own: Any, read: Any) -> Any:
    """What rank ``r`` adds of rank ``q``'s entry: what is read, and of its own not the entry that it has."""
    return read


def norm(x: Sequence[Any], by_max: int) -> Any:
    """Of at least one entry, in 64 bits or exactly."""
    sizes = [abs(exact(v)) for v in x]
    return max(sizes) if by_max else root(folded([v * v for v in sizes]))


def unit(x: Any, params: Params, none: Any) -> Any:
    """A level, in the type of the entries; ``none``: where there are no entries."""
    if len(x) == 0:
        return none
    first, *_ = x
    found, kind = norm(x, params.by_max) / params.levels, type(first)
    if not floating(first):
        return found
    return kind(found) if all(map(isfinite, x)) and isfinite(kind(found)) else kind("nan")


def level(v: Any, unit: Any, levels: int, chance: int) -> int:
    """The level of an entry, 0 without a unit; ``chance``, below 2^53, decides whether it is rounded up."""
    return bool(unit > 0) and min(rounded(abs(v) / unit, chance), levels)


def coded(x: Any, params: Params, none: Any, *counters: int) -> Coded:
    """The codes of a rank's vector in a call."""
    one = unit(x, params, none)
    chances = [drawn(params.seed, *counters, i) >> 64 - FINE for i in range(len(x))]
    return Coded(one, [level(v, one, params.levels, u) for v, u in zip(x, chances)], [1 if v < 0 else 0 for v in x])


def read(one: Coded) -> list[Any]:
    """What is read from these codes."""
    return [-(one.unit * q) if below else one.unit * q for q, below in zip(one.levels, one.below)]


def written(one: Coded, levels: int) -> Any:
    """The message: bytes where the unit has any, else a list of the unit and of the bytes after it."""
    sign = width(levels) - 1
    numbers = wholes.packed([q | below << sign for q, below in zip(one.levels, one.below)], sign + 1)
    return memoryview(one.unit.tobytes() + numbers) if hasattr(one.unit, "tobytes") else [one.unit, *numbers]


def zero(x: Any) -> Any:
    """Of the vector's type, where that has one whatever its entries."""
    return x.dtype.type(0) if hasattr(x, "dtype") else 0


def like(x: Any, values: Sequence[Any]) -> Any:
    """These values in a vector of ``x``'s class."""
    y = copy(x)
    y[:] = values
    return y


def program(xs: Sequence[Sequence[Any]], state: State, params: Params) -> Played:
    """A call: its step, and what all ranks have in the end."""
    checked(params)
    first, *_ = xs
    p, none = len(xs), zero(first)
    codes = [coded(x, params, none, state.call, r) for r, x in enumerate(xs)]
    pairs = [(r, number(dst(r, j, p))) for r in range(p) for j in range(1, p)]
    yield [Message(r, d, written(codes[r], params.levels)) for r, d in pairs]
    reads = [read(one) for one in codes]
    rows = [[[taken(r, q, *v) for v in zip(xs[q], reads[q])] for q in range(p)] for r in range(p)]
    ys = [[reduce(add, vs) + 0 for vs in zip(*row)] for row in rows]
    return Outcome([like(x, y) for x, y in zip(xs, ys)], [], State(state.call + 1))
