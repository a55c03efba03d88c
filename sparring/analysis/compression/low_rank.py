"""Proves what PowerSGD finds: the projected mean matrix, and when that is the mean matrix itself [VKJ19]_.

``G`` is what the products of the columns of ``P = M Q`` with each other are, ``M`` the mean matrix.  Gram and Schmidt
make of ``P`` columns ``U = P T`` of length 1, each at right angles to those before it: two steps of an induction say
so for any number of columns.  Then ``T' G T = 1``, and hence ``U U' = P G^-1 P'``, the projection onto the columns of
``P``, in which no root is left.  So exact numbers can be used beside: whether the page's results are these is looked
at on fractions, of which all lengths are fractions, too.

*A projection leaves the rest at right angles*: the squared length of ``M - U U' M`` is that of ``M`` less that of
``U' M``, for every column of ``U`` and of ``M`` one step more.

*Exact*: where all columns of ``M`` are combinations of those of ``P``, as for almost every ``Q`` if the rank of ``M``
is that of ``Q`` or less, the projection is ``M``.  For every ``Q`` it is not: one at right angles to the rows finds
nothing.

That takes lengths as they are.  Where a little is added to them, as in published code against a division by zero, a
first unit column is a little too short, and so another column that is parallel to it keeps a little of it, which is
made longer in turn: the second is a unit column's part that does not vanish with what is added.  So of a mean of
rank 1 two columns find up to twice of it.

*One rank alone* that is given the mean of what all ranks have finds the same.  It needs that ``P`` may be a sum or a
mean: so it is if nothing is added to lengths, and is not otherwise.

.. [VKJ19] T. Vogels, S. P. Karimireddy and M. Jaggi, "PowerSGD: Practical low-rank gradient compression for
   distributed optimization", NeurIPS 2019, arXiv:1905.13727.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy
import z3
from sympy.polys.matrices import DomainMatrix

from sparring.analysis.compression.arc_rows import OURS, lengths
from sparring.analysis.compression.reals import Lemma, proved, shown
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import without_floors
from sparring.proofs import power_sgd as theorems
from sparring.proofs.logic.verdicts import PROVED_CHOSEN, Settled, tested
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements import compositions
from sparring.spec import power_sgd, ring
from sparring.spec.core.compositions import Memory
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.core.vectors import Vector
from sparring.spec.library import matrices

WIDTHS = range(1, 4)
"""The numbers of columns for which the inverse of their products is compared."""
TERMS = range(1, 9)
"""The numbers of terms in the products that are expanded."""
RUNS = 24

size, one, own, part, first, other, rest, by = z3.Reals("size one own part first other rest by")


class Exact(NamedTuple):
    """A call on fractions: each rank's vector, the state (kept parts and ``Q``), and the mean matrix."""

    page: Any
    xs: list[list[Fraction]]
    state: Any
    mean: Any


def rotation(rng: Any, n: int) -> Any:
    """Return an ``n`` by ``n`` matrix of fractions with orthonormal columns: a product of reflections."""
    found = np.array([[Fraction(int(i == j)) for j in range(n)] for i in range(n)], object)
    for _ in range(n):
        v = np.array([Fraction(int(x)) for x in rng.integers(-3, 4, n)], object)
        if any(v):
            found = found - 2 * np.outer(found.dot(v), v) / v.dot(v)
    return found


def numbers(rng: Any, *shape: int) -> Any:
    """Draw an array of small fractions."""
    return np.array([Fraction(int(x), 3) for x in rng.integers(-6, 7, int(np.prod(shape)))], object).reshape(shape)


def drawn(seed: int, p: int, m: int, columns: int, rank: int, *, low: bool = False) -> Exact:
    """Draw a call whose lengths are fractions: ``M Q`` is a rotation's columns times a triangle.

    ``low``: no column of the mean matrix is outside of these.
    """
    rng = np.random.default_rng([seed, p, m, columns, rank])
    u, v = rotation(rng, m), rotation(rng, columns)
    triangle = np.triu(numbers(rng, rank, rank)) + 7 * np.eye(rank, dtype=int)
    others = numbers(rng, m, columns - rank)
    others = u[:, :rank].dot(numbers(rng, rank, columns - rank)) if low else others
    mean = u[:, :rank].dot(triangle).dot(v[:, :rank].T) + others.dot(v[:, rank:].T)
    given, kept = (numbers(rng, p, m * columns) for _ in range(2))
    given[-1] = p * mean.reshape(-1) - given[:-1].sum(0)
    state = remembered(kept.tolist(), v[:, :rank].T.reshape(-1).tolist())
    page = load(power_sgd, rank=rank, columns=columns, rate=0, epsilon=0, through=("ring", "two_shot")[seed % 2])
    return Exact(page, (given - kept).tolist(), state, mean)


def remembered(kept: Sequence[Any], q: Any) -> Memory:
    """Return the state after a call: what each rank did not send, by rank, and the ``Q`` that all ranks share."""
    return Memory(1, [power_sgd.State(Vector.of([*one]), Vector.of([*q])) for one in kept])


def calls(*, low: bool = False) -> Iterator[Exact]:
    """Yield ``RUNS`` calls, of one to five ranks."""
    for seed in range(RUNS):
        rank = seed % 3 + 1
        yield drawn(seed, seed % 5 + 1, rank + seed % 4, rank + (seed + 1) % 3, rank, low=low)


def projected(p: Any, m: Any) -> Any:
    """Return ``P (P' P)^-1 P' M``."""
    inverse = sympy.Matrix(p.T.dot(p).tolist()).applyfunc(rational).inv()
    middle = np.array([[Fraction(x.p, x.q) for x in row] for row in inverse.tolist()], object)
    return p.dot(middle).dot(p.T.dot(m))


def rational(x: Any) -> Any:
    """Return ``x`` as a sympy rational."""
    return sympy.Rational(x.numerator, x.denominator)


def step(u: list[Any], d: list[Any]) -> Any:
    """Return what the page's functions leave of ``u d`` without the part in ``u``, less what the lemmas say."""
    dot = matrices.dot
    return dot(u, matrices.without(d, u)) - (dot(u, d) - dot(u, d) * dot(u, u))


def orthonormal() -> Iterator[Lemma]:
    """Yield the lemmas that columns come out orthonormal, one induction step each.

    ``own``: the product of a unit column with itself; ``one``: with a column; ``other``: with a column after it.
    """
    yield Lemma("of length 1", (size > 0, rest == size * size, own * (size * size) == rest), own == 1)
    yield Lemma("at right angles", (own == 1, part == one), one - part * own == 0)
    yield Lemma("and stays so", (one == 0, other == 0), one - part * other == 0)


def remainder() -> Iterator[Lemma]:
    """Yield the lemmas on what remains of a column once its parts in unit columns are removed.

    ``rest``: the squared length of what remains of a column, ``first`` its product with the next unit column.
    """
    less = rest - 2 * (part * first) + part * part * own
    yield Lemma("a part less", (own == 1, part == first), less == rest - first * first)
    yield Lemma("the same part as of the whole", (one == first, other == 0), one - part * other == first)


def scaled() -> Iterator[Lemma]:
    """Yield the lemmas that a column ``by`` times as long, ``by * first``, over its length, ``part``, is the same."""
    longer = (by > 0, size > 0, part > 0, part * part == (by * size) * (by * size))
    yield Lemma("a length by times as long", longer, part == by * size)
    yield Lemma(
        "over its length", (by > 0, size > 0, one * size == first, other * (by * size) == by * first), other == one
    )


def same_projection(width: int) -> bool:
    """Return whether ``T T' G = 1`` for ``width`` columns whose products are letters."""
    letters = sympy.Matrix(width, width, lambda i, j: sympy.Symbol(f"g{min(i, j)}{max(i, j)}"))
    field = sympy.QQ.frac_field(*sorted(letters.free_symbols, key=str))
    gram = DomainMatrix.from_Matrix(letters).convert_to(field)
    one = DomainMatrix.eye(width, field).to_dense()
    columns: list[Any] = []
    total = one - one

    def product(x: Any, y: Any) -> Any:
        return (x.transpose() * gram * y)[0, 0].element

    for i in range(width):
        column = one[:, i : i + 1]
        for before in columns:
            column -= before * (product(before, column) / product(before, before))
        columns.append(column)
        total += column * column.transpose() * (1 / product(column, column))
    return bool(total * gram == one)


def algebra() -> Settled:
    """Decide the algebraic part: the page's Gram-Schmidt functions, and that their projection is free of roots."""
    for many in TERMS:
        u, d = ([*sympy.symbols(f"{letter}:{many}")] for letter in "ud")
        if sympy.expand(step(u, d)) != 0:
            return Settled(False, f"of {many} terms another part is removed")
    for width in WIDTHS:
        if not same_projection(width):
            return Settled(False, f"of {width} columns the projection is another")
    found = proved(orthonormal())
    told = f"{found.detail}; products of up to {TERMS[-1]} terms, {WIDTHS[-1]} columns: sympy"
    return found._replace(detail=told, verdict=PROVED_CHOSEN) if found.holds else found


def projection() -> Settled:
    """Decide whether the result is the mean matrix projected onto the columns of ``P``."""
    for i, call in enumerate(calls()):
        q = np.array([*call.state.q[0]], object).reshape(call.page.params["rank"], -1).T
        wanted = projected(call.mean.dot(q), call.mean).reshape(-1).tolist()
        if any(y != wanted for y in run(call.page, call.xs, call.state).results):
            return Settled(False, f"in exact run {i} the result is no projection")
    return also(algebra())


def right_angles() -> Settled:
    """Decide whether the remainder's squared length is the mean matrix's less that of its product with ``P``."""
    for i, call in enumerate(calls()):
        ran = run(call.page, call.xs, call.state)
        rest_, q = (np.array(x, object) for x in (call.mean.reshape(-1) - ran.results[0], [*ran.state.q[0]]))
        whole = call.mean.reshape(-1)
        if rest_.dot(rest_) != whole.dot(whole) - q.dot(q):
            return Settled(False, f"in exact run {i} the squared lengths are others")
    return also(proved([*orthonormal(), *remainder()]))


def exact() -> Settled:
    """Decide whether the result is the mean matrix where all columns of it lie in the span of those of ``P``."""
    for i, call in enumerate(calls(low=True)):
        if run(call.page, call.xs, call.state).results[0] != call.mean.reshape(-1).tolist():
            return Settled(False, f"in exact run {i} the result is not the mean")
    return also(algebra())


def exact_always() -> Settled:
    """Decide whether the result is exact for every ``Q``: a matrix of rank 1 whose rows are orthogonal to ``Q``."""
    page, one_, none = load(power_sgd, columns=2, rate=0, epsilon=0), Fraction(1), Fraction(0)
    x = [one_, none, one_, none]
    (y,) = run(page, [x], remembered([[none] * 4], [none, one_])).results
    return Settled(y == x, f"rows (1, 0) and Q = (0, 1): the result is {', '.join(map(str, y))}")


def exact_with_epsilon() -> Settled:
    """Decide whether the result is exact where epsilon is added to lengths: for two parallel columns of ``P``."""
    page, row = load(power_sgd, columns=2, rank=2, rate=0), [Fraction(3), Fraction(3), Fraction(4), Fraction(4)]
    q = [Fraction(v) for v in (1, 0, 0, 1)]
    (y,) = run(page, [row], remembered([[Fraction(0)] * 4], q)).results
    told = f"rows (3, 3), (4, 4): the result is {float(y[0] / row[0]):.4f} times the mean"
    return Settled(y == row, f"{told}, and {limit(sympy.Integer(1))} times as what is added goes to 0")


def limit(longer: Any) -> Any:
    """Return how many times the mean the result is as epsilon goes to 0, of two parallel columns, one ``longer`` times.

    The first unit column is too short by a part.  The second column keeps about twice that part, which is not small
    beside the epsilon that is added to the second column's length.
    """
    more = sympy.Symbol("epsilon", positive=True)
    first_ = 1 / (1 + more)
    kept = longer * (1 - first_**2)
    return sympy.limit(first_**2 + (kept / (kept + more)) ** 2, more, 0, "+")


def single_node() -> Settled:
    """Decide whether one rank that is given the mean finds the same result, ``Q`` and mean of the kept parts."""
    for i, call in enumerate(calls()):
        p, ran = len(call.xs), run(call.page, call.xs, call.state)
        kept = [sum(column) / Fraction(p) for column in zip(*call.state.kept)]
        x = [[sum(column) / Fraction(p) for column in zip(*call.xs)]]
        alone = run(call.page, x, remembered([kept], call.state.q[0]))
        left = [sum(column) / Fraction(p) for column in zip(*ran.state.kept)]
        theirs = (alone.results[0], [*alone.state.q[0]], [*alone.state.kept[0]])
        if (ran.results[0], [*ran.state.q[0]], left) != theirs:
            return Settled(False, f"in exact run {i} one rank alone finds another result")
    found, linear = proved(scaled()), shown(theorems.linear(power_sgd), OURS)
    if not found.holds:
        return found
    return also(linear._replace(detail=f"{found.detail}; {linear.detail}") if linear.holds else linear)


def sum_or_mean() -> Settled:
    """Decide whether ``P`` may be a sum where ``epsilon`` is added to lengths: for the column (3, 4) and its double."""
    column, more = [Fraction(3), Fraction(4)], power_sgd.Params().epsilon
    alone, twice = (matrices.unit([v * times for v in column], more) for times in (1, 2))
    told = f"the column (3, 4) becomes ({alone[0]}, ...), and ({twice[0]}, ...) where it is summed over two ranks"
    return Settled(alone == twice, told)


def conserved() -> Settled:
    """Decide whether ``p`` times the result plus all kept parts equals what ranks were given and had kept."""
    page = load(power_sgd)
    return shown(compositions.conservation(page, tuple(paths(page))), OURS)


def words() -> Settled:
    """Decide whether a call sends ``2 (p - 1) / p r (n + m)`` words a rank where ``p`` divides both factors."""
    p, j = symbols.p, sympy.Symbol("j", integer=True, nonnegative=True)
    form = without_floors(derive(load(ring)).words).subs(symbols.n, p * j)
    if sympy.simplify(form - 2 * (p - 1) * j) != 0:
        return Settled(False, f"an allreduce of p j words sends {form}")
    done = 0
    for ranks in range(1, 7):
        for m, columns, rank in ((3, 2, 1), (6, 4, 2), (5, 7, 3)):
            page = load(power_sgd, rank=rank, columns=columns, rate=0)
            sent = run(page, [[1.0 * i for i in range(m * columns)]] * ranks).trace
            dense = [wire for size_ in (m, columns) for wire in run(load(ring), [[0] * size_ * rank] * ranks).trace]
            if lengths(sent) != lengths(dense):
                return Settled(False, f"at p={ranks} messages are not those of two allreduces")
            done += 1
    return Settled(True, f"two allreduces in {done} runs, p = 1..6; what each sends: sympy", tested(done))


def also(found: Settled) -> Settled:
    """Return what was found, with the number of exact runs in its detail if it holds."""
    return found._replace(detail=f"{found.detail}; {RUNS} runs of the page on fractions") if found.holds else found
