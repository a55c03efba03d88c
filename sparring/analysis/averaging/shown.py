"""Decides published statements about Moshpit: each function says whether one holds, and how that was found."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy

from sparring.analysis.averaging import factors
from sparring.analysis.averaging.matrices import Matrix, expected, isotropic, mixing, sized
from sparring.proofs.kernel import kernel
from sparring.proofs.proving import proving
from sparring.spec import moshpit
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

ENUMERATED = range(2, 7)
"""Numbers of ranks of which all partitions are looked at."""
MOST = 64
"""Ranks up to which messages are counted."""

Found = tuple[bool, str]


def exact() -> Found:
    """Decide whether all of ``m^d`` ranks have the mean after ``d`` rounds: the page's theorem."""
    one = next(one for one in proving.prove(load(moshpit)) if one.name == "result")
    return isinstance(one, kernel.Theorem), f"sparring prove moshpit, result: {one.detail}, z3 and cvc5"


def shapes(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield all sizes that the groups of ``n`` ranks can have, the largest first, none above ``most``."""
    if n == 0:
        yield ()
    for first in range(min(n, most), 0, -1):
        yield from ((first, *rest) for rest in shapes(n - first, first))


def on_average(sizes: tuple[int, ...]) -> Matrix:
    """Return the mean matrix of a round in random groups of these sizes, over all partitions."""
    ways = [*sized(range(sum(sizes)), sizes)]
    return expected(((Fraction(1, len(ways)), mixing(blocks, sum(sizes))) for blocks in ways), sum(sizes))


def published_factor() -> Found:
    """Decide whether one round leaves ``(r - 1) / p + r / p^2`` of the squared distance, as Theorem 3.2 states."""
    for n in ENUMERATED:
        for sizes in shapes(n, n):
            if on_average(sizes) != isotropic(said := factors.published(n, len(sizes)), n):
                right, told = factors.of_blocks(len(sizes), n), ", ".join(map(str, sizes))
                return False, f"over all partitions at p={n}, groups of {told}, a round leaves {right}, not {said}"
    return True, told_all()


def exact_factor() -> Found:
    """Decide whether one round leaves ``(r - 1) / (p - 1)``, for all vectors and sizes of groups.

    All orders of ranks have the same chance, so the mean matrix has one number ``a`` on its diagonal and another,
    ``b``, everywhere else; its trace is ``r``, its rows add up to 1, and what is orthogonal to the mean is
    multiplied by ``a - b``.
    """
    a, b, p, r = sympy.symbols("a b p r")
    entries = sympy.solve([p * a - r, a + (p - 1) * b - 1], [a, b])
    if sympy.simplify((a - b).subs(entries) - (r - 1) / (p - 1)) != 0:
        return False, "the trace and the rows do not give it"
    for n in ENUMERATED:
        for sizes in shapes(n, n):
            if on_average(sizes) != isotropic(factors.of_blocks(len(sizes), n), n):
                return False, f"not at p={n} with groups of {', '.join(map(str, sizes))}"
    return True, f"from trace and rows of the mean matrix, whose entries symmetry leaves two of; and at {told_all()}"


def told_all() -> str:
    """Describe the enumerated partitions in words."""
    many = sum(1 for n in ENUMERATED for _ in shapes(n, n))
    return f"p = {ENUMERATED[0]}..{ENUMERATED[-1]}, all {many} choices of sizes, each over all its partitions, exactly"


def grids() -> Iterator[tuple[int, int]]:
    """Yield group size and dimensions of all full grids of at most ``MOST`` ranks."""
    return ((m, d) for m in range(2, MOST + 1) for d in range(1, 7) if m**d <= MOST)


def volume() -> Found:
    """Decide whether a rank sends ``2 d n (m - 1) / m`` words in ``2 d`` steps, of vectors that ``m`` divides.

    In a round it sends a copy of all but its own part, ``1 / m`` of the vector, and the mean of that ``m - 1`` times.
    """
    size, whole = sympy.symbols("m n", positive=True)
    if sympy.simplify(whole - whole / size + (size - 1) * (whole / size) - 2 * whole * (size - 1) / size) != 0:
        return False, "copies and means do not add up to it"
    for m, d in grids():
        n, p = 2 * m, m**d
        trace = run(load(moshpit, m=m), [[0.0] * n] * p).trace
        sent = [0] * p
        for src, _, entries in (message for wire in trace for message in wire):
            sent[src] += len(entries)
        if len(trace) != 2 * d or {*sent} != {2 * d * n * (m - 1) // m}:
            return False, f"at m={m}, d={d}, n={n} ranks send {min(sent)} to {max(sent)} words in {len(trace)} steps"
    counted = f"counted on all {sum(1 for _ in grids())} full grids of up to {MOST} ranks, on every rank"
    return True, f"the sum of copies and means in each round; and {counted}"
