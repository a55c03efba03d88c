"""Sparse vectors as the pages have them: plain Python, support = union.

Explicit zeros and sums that cancel stay in the support.  An absent entry is no zero: it adds
nothing, as -0.0 would, IEEE's exact identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add, index
from typing import Any, NamedTuple, Protocol, Self

from sparring.errors import InputError
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.top_k import top


class SparseLike(Protocol):
    """What a run takes: ``sparring.Sparse``, or a :class:`SparseVector`."""

    @property
    def indices(self) -> Any: ...
    @property
    def values(self) -> Any: ...
    @property
    def n(self) -> int: ...
    def having(self, indices: Iterable[int], values: Iterable[Any]) -> Self:
        """Other entries, in the same class."""
        ...


class SparseVector(NamedTuple):
    """``n`` entries, of which those at ``indices``, strictly ascending, have ``values``; ``+`` is the sum.

    >>> SparseVector((0, 2), ("a", "c"), 4) + SparseVector((2, 3), ("C", "D"), 4)
    [0:a 2:cC 3:D]
    """

    indices: tuple[int, ...]
    values: tuple[Any, ...]
    n: int

    def __add__(self, other: tuple[Any, ...]) -> SparseVector:
        if not isinstance(other, SparseVector):
            return NotImplemented
        if not other.indices:
            return self
        mine, theirs = (dict(zip(x.indices, x.values)) for x in (self, other))
        sums = {**mine, **theirs, **{i: mine[i] + theirs[i] for i in mine.keys() & theirs.keys()}}
        return SparseVector(support := tuple(sorted(sums)), tuple(sums[i] for i in support), self.n)

    def __repr__(self) -> str:
        return f"[{' '.join(f'{i}:{v}' for i, v in zip(self.indices, self.values))}]"

    def having(self, indices: Iterable[int], values: Iterable[Any]) -> SparseVector:
        """Other entries, of the same length."""
        return SparseVector(tuple(indices), tuple(values), self.n)

    def only(self, mask: Mask) -> SparseVector:
        """The entries at indices of the mask.

        >>> x = SparseVector((0, 2, 3), ("a", "c", "d"), 4)
        >>> x.only(Mask(frozenset([1, 2, 3]), 4)), x.only(~Mask(frozenset([2]), 4))
        ([2:c 3:d], [0:a 3:d])
        """
        return self.at(i for i in self.indices if i in mask.indices)

    def support(self) -> Mask:
        """Where there are entries, explicit zeros included."""
        return Mask(frozenset(self.indices), self.n)

    @property
    def m(self) -> int:
        """How many entries there are."""
        return len(self.indices)

    def where(self, c: Bool, other: SparseVector) -> SparseVector:
        """This vector where ``c`` holds, else ``other``: a choice that proofs can read, as ``if`` is not."""
        return self if bool(c) else other

    def piece(self, start: int, end: int) -> SparseVector:
        """The entries from ``start`` on and before ``end``, counted from ``start``.

        >>> SparseVector((0, 2, 3), ("a", "c", "d"), 4).piece(1, 3)
        [1:c]
        """
        inside = [(i - start, v) for i, v in zip(self.indices, self.values) if start <= i < end]
        return SparseVector(tuple(i for i, _ in inside), tuple(v for _, v in inside), end - start)

    def within(self, start: int, n: int) -> SparseVector:
        """The same entries, counted on from ``start``, in a vector of ``n``: what undoes :meth:`piece`."""
        return SparseVector(tuple(i + start for i in self.indices), self.values, n)

    def at(self, indices: Iterable[int]) -> SparseVector:
        """The entries at some of its indices, ascending."""
        mine = dict(zip(self.indices, self.values))
        return self.having(kept := tuple(indices), (mine[i] for i in kept))

    def without(self, other: SparseVector) -> SparseVector:
        """The entries where ``other`` has none."""
        return self.at(sorted({*self.indices} - {*other.indices}))

    def meeting(self, other: SparseVector) -> SparseVector:
        """The entries where ``other`` has one, too."""
        return self.at(sorted({*self.indices} & {*other.indices}))

    def largest(self, k: Int) -> SparseVector:
        """The ``k`` entries that come first in the order of selection; all of them where there are fewer.

        Raises InputError for a negative ``k``.

        >>> SparseVector((0, 2, 3), (3, -5, 4), 4).largest(2)
        [2:-5 3:4]
        """
        return self.at(self.indices[i] for i in top(self.values, index(k)))

    def full(self, when: Bool = True) -> SparseVector:
        """With an entry at every index, NOTHING where there was none; this vector as it is unless ``when`` holds.

        >>> SparseVector((1,), ("b",), 3).full()
        [0:_ 1:b 2:_]
        """
        if not bool(when):
            return self
        mine = dict(zip(self.indices, self.values))
        return self.having(range(self.n), (mine.get(i, NOTHING) for i in range(self.n)))


class Mask(NamedTuple):
    """Some of the indices of vectors of ``n`` entries.

    >>> some, more = Mask(frozenset([0, 2]), 3), Mask(frozenset([1, 2]), 3)
    >>> sorted((some & more).indices), sorted((some | more).indices), sorted((~some).indices)
    ([2], [0, 1, 2], [1])
    """

    indices: frozenset[int]
    n: int

    def __and__(self, other: Mask) -> Mask: return Mask(self.indices & other.indices, self.n)
    def __or__(self, other: Mask) -> Mask: return Mask(self.indices | other.indices, self.n)
    def __invert__(self) -> Mask: return Mask(frozenset(range(self.n)) - self.indices, self.n)


class Nothing:
    """The value of an entry that is there and adds nothing; -0.0 in floats, IEEE's exact identity."""

    __array_ufunc__ = None  # numpy's scalars leave the addition to us

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __repr__(self) -> str:
        return "_"


NOTHING = Nothing()


def every(x: Any) -> SparseVector:
    """A vector with all its entries."""
    return SparseVector(tuple(range(len(x))), tuple(x), len(x))


def width(x: Any) -> int:
    """Bytes of a value: as the vector's dtype says; 8 for what is no number of a machine."""
    dtype = getattr(getattr(x, "values", x), "dtype", None)
    return 8 if dtype is None else int(dtype.itemsize)


def taken(x: SparseLike) -> SparseVector:
    """The entries of ``x``, its values as they are.

    Raises InputError where the indices are not strictly ascending in [0, n), or not as many as the values.
    """
    indices = tuple(map(int, x.indices))
    for i, (before, at) in enumerate(zip((-1, *indices), indices)):
        if not before < at < x.n:
            raise InputError(f"indices[{i}]={at} must be above {before} and below n={x.n}")
    if len(indices) != len(x.values):
        raise InputError(f"{len(indices)} indices and {len(x.values)} values: there must be one value for each index")
    return SparseVector(indices, tuple(x.values), x.n)


def strung(lists: Sequence[SparseVector], n: int) -> SparseVector:
    """The entries of lists of ``n`` one list after the other, not added; only in a single list do indices ascend.

    >>> strung([SparseVector((0, 2), ("a", "c"), 4), SparseVector((2, 3), ("C", "D"), 4)], 4)
    [0:a 2:c 2:C 3:D]
    """
    if len(lists) == 1:
        return lists[0]
    return SparseVector(tuple(i for x in lists for i in x.indices), tuple(v for x in lists for v in x.values), n)


def total(lists: Sequence[SparseVector]) -> SparseVector:
    """The sum, in their order; every -0.0 becomes +0.0 at the end."""
    summed = reduce(add, lists)
    return summed._replace(values=tuple(map(plain, summed.values)))


def plain(v: Any) -> Any:
    """``v + 0`` in the number's own type, NOTHING is 0; letters stay as they are."""
    if v is NOTHING:
        return 0
    if hasattr(v, "dtype"):
        return v + v.dtype.type(0)
    return v + 0.0 if isinstance(v, float) else v
