"""Exchanges of a composition: between its local steps a rank's text yields one of these.

Each is carried out by a page with formulas, whose theorem says what comes back; which page, is the parameter
``through``.  Every rank yields the same kind of exchange, with the same ``terms``, and its own values.

=====================  ==================================================================================
``reduce_scatter(x)``  the sum of all ranks' ``x`` in this rank's chunk
``allgather(piece)``   all ranks' pieces, one after the other
``allreduce(x)``       the sum of all ranks' ``x``; of some entries of each: ``spec/library/sparse_allreduce.py``
``gather(x)``          by rank, what each has
``balance(x, sizes)``  of all ranks' entries, one rank's after the other's, this rank's share of ``p`` equal ones
``apart(x)``           by rank what each has, of sizes, bounds and the like, which are told apart and are in no trace
``averaging(x, key)``  the mean of those with the same key: see ``spec/library/group_average.py``
=====================  ==================================================================================

The first three may be ``among`` the ranks along one axis of a grid alone, see ``spec/core/grids.py``: then each group
does by itself what all ranks do otherwise, with its own number of ranks and with places in the place of ranks.

A :class:`Code` says in which form vectors travel: then *every* rank, the sender included, has what is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from sparring.errors import InputError, ScheduleFault
from sparring.spec import (
    bruck_allgather,
    dsar_split_allgather,
    recursive_doubling_allgather,
    ring,
    ring_allgather,
    ring_sparse,
    ssar_recursive_doubling,
    two_shot,
    two_shot_sparse,
)
from sparring.spec.collectives import dense_ring_allgather, ring_reduce_scatter
from sparring.spec.core import regions
from sparring.spec.core.balancing import moved
from sparring.spec.core.exchange_runs import (
    Carried,
    added,
    bounds,
    collected,
    direct,
    extent,
    in_turns,
    joined,
    regrouped,
    shown,
    slices,
    spread,
    summed,
)
from sparring.spec.core.grids import Axis
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.runs import Message, Run
from sparring.spec.core.vectors import AtPoint, local
from sparring.spec.core.wire_forms import PLAIN
from sparring.spec.exchanges import averaging, direct_allgather, direct_reduce_scatter, rotation


@local
def read(code: Any, x: Any) -> Any:
    """What others read of a vector: of a whole one where the code is made of all of it, or of a chunk."""
    return alone(code, x)


@local
def read_by_chunk(code: Any, x: Any, p: int) -> Any:
    """The same of each of ``p`` chunks, one after the other."""
    return joined([alone(code, part) for part in PLAIN.pieces(x, slices(bounds(extent(x), p)))])


def alone(code: Any, x: Any) -> Any:
    """What is read of a vector that is no piece of another, as what each rank brings to an allgather."""
    (coded,) = code.pieces(x, [slice(0, extent(x))])
    return code.decode(coded)


def own_chunk(x: Any, r: int, p: int) -> Any:
    """A rank's own entries of the chunk that it owns."""
    if isinstance(x, AtPoint):
        return x.own_chunk(r, p)
    return x[slices(bounds(len(x), p))[r]]


@dataclass(frozen=True)
class Exchange:
    """One rank's part in an exchange: ``x``, what it brings; the rest is what all ranks have alike."""

    brings: ClassVar[tuple[str, ...]] = ("x",)
    """What each rank has of its own."""
    kinds: ClassVar[tuple[str, ...]] = ()
    """Of what kind a page must be that carries it out; of any, where there is none."""
    data: ClassVar[tuple[str, ...]] = ("vector", "lists")
    """Of what data it must then be."""

    x: Any
    code: Any = PLAIN
    through: str = ""
    among: Axis | None = field(default=None, kw_only=True)
    """The axis along which ranks meet; None: all meet."""

    @property
    def terms(self) -> tuple[Any, ...]:
        """What must be the same on all ranks that meet."""
        return type(self).__name__, self.code, self.through, *([self.among] if self.among else [])

    @property
    def page(self) -> Page:
        """The page that carries it out; raises InputError for one of another kind."""
        found = served(self.through)
        if self.kinds and found.kind not in self.kinds:
            what, right = type(self).__name__.lower(), " or ".join(self.kinds)
            raise InputError(f"through = {self.through!r}: its kind is {found.kind}; right for {what} is {right}")
        if self.kinds and found.data not in self.data:
            what, right = type(self).__name__.lower(), " or ".join(self.data)
            raise InputError(f"through = {self.through!r}: its data is {found.data}; right for {what} is {right}")
        return found

    def carry(self, each: Sequence[Exchange]) -> Carried:
        """All ranks' parts, carried out."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReduceScatter(Exchange):
    """See :func:`reduce_scatter`."""

    kinds: ClassVar[tuple[str, ...]] = ("reduce_scatter", "allreduce")

    through: str = "direct_reduce_scatter"
    bounds: Sequence[int] = ()
    bucket: int = 0

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, extent(self.x), tuple(self.bounds), self.bucket)

    def carry(self, each: Sequence[Exchange]) -> Carried:
        page, p, n = self.page, len(each), extent(self.x)
        cuts = slices(regions.checked(self.bounds, n, p) if self.bounds else bounds(n, p))
        cells = [self.code.pieces(one.x, cuts) for one in each]
        if self.bucket:
            return in_turns(page, cells, self.code, self.bucket)
        if not direct(page, p):
            return summed(page, cells, self.code)
        kept, trace = collected(page, cells, self.code)
        return Carried([added([self.code.decode(one[q]) for q in sorted(one)]) for one in kept], trace)


@dataclass(frozen=True)
class Allgather(Exchange):
    """See :func:`allgather`."""

    kinds: ClassVar[tuple[str, ...]] = ("allgather",)

    through: str = "direct_allgather"

    def carry(self, each: Sequence[Exchange]) -> Carried:
        coded = [self.code.pieces(one.x, [slice(0, extent(one.x))])[0] for one in each]
        rows, trace = shown(self.page, coded, self.code)
        alike = {tuple(map(id, row)): row for row in rows}  # ranks with the same codes read the same
        reads = {id(one): self.code.decode(one) for one in coded}
        made = {key: joined([reads[id(one)] for one in row]) for key, row in alike.items()}
        return Carried([made[tuple(map(id, row))] for row in rows], trace)


@dataclass(frozen=True)
class Gather(Allgather):
    """See :func:`gather`."""

    def carry(self, each: Sequence[Exchange]) -> Carried:
        coded = [self.code.pieces(one.x, [slice(0, extent(one.x))])[0] for one in each]
        rows, trace = shown(self.page, coded, self.code)
        reads = {id(one): self.code.decode(one) for one in coded}
        return Carried([[reads[id(one)] for one in row] for row in rows], trace)


@dataclass(frozen=True)
class Allreduce(Exchange):
    """See :func:`allreduce`."""

    kinds: ClassVar[tuple[str, ...]] = ("allreduce", "allgather")

    through: str = "ring"
    at: Any = None
    filled: int = 1

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, extent(self.x), None if self.at is None else tuple(map(bool, self.at)), self.filled)

    def carry(self, each: Sequence[Exchange]) -> Carried:
        page = self.page
        if page.kind == "allgather":
            rows, trace = Gather(self.x, self.code, self.through).carry(each)
            return Carried([added(row) for row in rows], trace)
        if self.code != PLAIN:
            raise InputError(f"through = {self.through!r}: codes are not added on their way; right is an allgather")
        places = range(len(self.x)) if self.at is None else [i for i, here in enumerate(self.at) if here]
        more = -len(places) % self.filled
        ran = Run(page, [[*(one.x[i] for i in places), *[one.x.zero] * more] for one in each])
        return Carried([spread(self.x, places, y) for y in ran.results], ran.trace)


@dataclass(frozen=True)
class Balance(Exchange):
    """See :func:`balance`."""

    sizes: Sequence[int] = ()

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, extent(self.x), tuple(self.sizes))

    def carry(self, each: Sequence[Exchange]) -> Carried:
        p, has = len(each), [len(one.x.indices) for one in each]
        if [*self.sizes] != has:
            raise ScheduleFault(p, None, f"balance is told sizes {[*self.sizes]}, and ranks have {has} entries")
        parts = [[one.x.at(one.x.indices[part]) for part in row] for one, row in zip(each, moved(has))]
        wire = [Message(i, j, parts[i][j]) for i in range(p) for j in range(p) if i != j and parts[i][j].indices]
        return Carried([added([row[j] for row in parts]) for j in range(p)], [wire] if p > 1 else [])


@dataclass(frozen=True)
class Apart(Exchange):
    """See :func:`apart`."""

    def carry(self, each: Sequence[Exchange]) -> Carried:
        told = [one.x for one in each]
        return Carried([told] * len(each), [])


def carried(each: Sequence[Exchange]) -> Carried:
    """All ranks' parts, carried out by all ranks or in each group."""
    axis = each[0].among
    if axis is None:
        return each[0].carry(each)
    groups = axis.groups(len(each))
    return regrouped(groups, [each[ranks[0]].carry([each[r] for r in ranks]) for ranks in groups])


def reduce_scatter(x: Any, code: Any = PLAIN, through: str = "direct_reduce_scatter", **terms: Any) -> Exchange:
    """Rank ``r`` gets the sum of all ranks' ``x`` in chunk ``r``, which begins at ``bounds[r]``.

    Each rank's pieces travel in ``code``, and what is added, in the order of the ranks, is what is read of them.

    ``bucket``: of a page that sends in turns, how many of these make a step; then a rank adds to its own piece those of
    the others in the order of turns.  With 0 all are one step.
    """
    return ReduceScatter(x, code, through, **terms)


def allgather(
    piece: Any, code: Any = PLAIN, through: str = "direct_allgather", among: Axis | None = None
) -> Exchange:
    """All ranks get all pieces, rank by rank, as they are read of their codes."""
    return Allgather(piece, code, through, among=among)


def gather(x: Any, code: Any = PLAIN, through: str = "direct_allgather") -> Exchange:
    """All ranks get a list of what each has."""
    return Gather(x, code, through)


def allreduce(
    x: Any, code: Any = PLAIN, through: str = "ring", at: Any = None, filled: int = 1, among: Axis | None = None
) -> Exchange:
    """All ranks get the sum of all ranks' ``x``; where ``at`` is given, only of entries where it is true, else zeros.

    What is summed is filled up with zeros to a multiple of ``filled`` entries.

    ``through`` an allgather, all ranks get what all have, in its code, and each adds it up in the order of the ranks.
    """
    return Allreduce(x, code, through, at, filled, among=among)


def balance(x: Any, sizes: Sequence[int]) -> Exchange:
    """Rank ``r`` gets the ``r``-th of ``p`` equal shares of all ranks' entries, one rank's after the other's.

    ``sizes``: by rank, how many entries it has; of vectors none of which has an entry where another has one.
    """
    return Balance(x, sizes=sizes)


def apart(x: Any) -> Exchange:
    """All ranks get a list of what each has; of sizes and the like, which no trace has."""
    return Apart(x)


@cache
def served(through: str) -> Page:
    """The page that carries an exchange out; raises InputError for a name that none has."""
    if through not in PAGES:
        raise InputError(f"through = {through!r}: it must be one of {', '.join(PAGES)}")
    return load(PAGES[through])


PAGES: Mapping[str, Any] = {
    page.__name__.rpartition(".")[2]: page
    for page in (
        ring, two_shot, averaging, direct_reduce_scatter, direct_allgather, rotation, bruck_allgather, ring_allgather,
        recursive_doubling_allgather, ring_sparse, two_shot_sparse, ssar_recursive_doubling, dsar_split_allgather,
        ring_reduce_scatter, dense_ring_allgather,
    )
}
"""Which pages carry exchanges out."""
