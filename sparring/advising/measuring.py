"""Measures how sparse gradients are where each worker keeps its largest entries, and what workers share.

Entries are kept in two ways: of each layer its own share, or of all layers together the largest,
wherever they are (fused).  A zero is never kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.advising.gradients import Gradients, Layer, Vector
from sparring.errors import InputError
from sparring.impl.core.selection import magnitudes
from sparring.spec.library import support_models
from sparring.support_growth import Growth, counted

DIGIT = 16  # bits of a magnitude that are looked at in one pass
Indices = NDArray[np.int64]
Track = Callable[[Any, str], Any]


class Measured(NamedTuple):
    """Measurements of some of the layers; a field about workers has an entry for each worker."""

    name: str
    size: int
    nonzero: tuple[int, ...]
    energy: tuple[float, ...]
    """The squared norm."""
    inside: tuple[float, ...]
    """The squared norm of the entries that are kept."""
    growth: Growth
    own: tuple[int, ...]
    """Entries that this worker keeps and no other."""
    shared: tuple[int, ...]
    """Entries that exactly one, two, ... workers keep."""
    union: Indices
    """Which entries any worker keeps, ascending."""

    @property
    def kept(self) -> tuple[float, ...]:
        """The part of the squared norm that is kept, by worker; 1 where all entries are zeros."""
        return tuple(inside / total if total else 1.0 for inside, total in zip(self.inside, self.energy))

    @property
    def overlap(self) -> Fraction | None:
        """The part of its entries that a worker shares with its neighbour, on average; None without a neighbour."""
        if self.growth.ranks < 2 or not self.growth.typical:
            return None
        return 2 - self.growth.mean[1] / self.growth.typical

    def crowding(self, chunks: int) -> Fraction:
        """Return the entries of the union in the fullest of ``chunks`` chunks, as a multiple of an even share."""
        if not self.union.size:
            return Fraction(1)
        edges = np.array([c * self.size // chunks for c in range(chunks + 1)])
        return Fraction(int(np.diff(np.searchsorted(self.union, edges)).max()) * chunks, self.union.size)


class Profile(NamedTuple):
    """The layers, each with its own share kept, and all of them fused."""

    source: str
    density: Fraction
    dtypes: tuple[str, ...]
    width: int
    layers: tuple[Measured, ...]
    fused: Measured


def profile(gradients: Gradients, density: Fraction, track: Track = lambda items, _: items) -> Profile:
    """Measure these gradients, where each worker keeps the share ``density`` of its entries.

    ``track(items, description)`` goes through items and may show how far it is.  Raises InputError where
    there are no entries.
    """
    if not gradients.n:
        raise InputError(f"{gradients.source}: its arrays have no entries; right: at least one of each worker")
    groups: list[tuple[Layer, ...]] = [(layer,) for layer in gradients.layers]
    if len(groups) > 1:
        groups.append(gradients.layers)
    found = [measured(gradients, group, density) for group in track(groups, "measuring layers")]
    layers = tuple(found[: len(gradients.layers)])
    dtypes = tuple(dict.fromkeys(layer.dtype for layer in gradients.layers))
    return Profile(gradients.source, density, dtypes, gradients.width, layers, found[-1])


def measured(gradients: Gradients, layers: Sequence[Layer], density: Fraction) -> Measured:
    """Measure these layers as one vector, of which each worker keeps its largest entries, at least one."""
    n = sum(layer.size for layer in layers)
    k = max(round(density * n), 1 if density else 0)
    found = [chosen(partial(gradients.blocks, layers, r), k) for r in range(gradients.workers)]
    low, mean, high = zip(*(support_models.over(sizes) for sizes in counted([one.at for one in found]).T.tolist()))
    union, workers = np.unique(np.concatenate([one.at for one in found]), return_counts=True)
    alone = union[workers == 1]
    return Measured(
        name=layers[0].name if len(layers) == 1 else "fused",
        size=n,
        nonzero=tuple(one.nonzero for one in found),
        energy=tuple(one.energy for one in found),
        inside=tuple(one.inside for one in found),
        growth=Growth(n, tuple(len(one.at) for one in found), low, mean, high),
        own=tuple(len(np.intersect1d(one.at, alone, assume_unique=True)) for one in found),
        shared=tuple(np.bincount(workers, minlength=len(found) + 1)[1:].tolist()),
        union=union,
    )


def together(parts: Sequence[Measured]) -> Measured:
    """Combine several layers into one, each with its own share kept.

    ``low`` and ``high`` of its growth are bounds: the layers need not have theirs at the same ranks.
    """
    offsets = np.cumsum([0, *(part.size for part in parts)])
    k, low, mean, high = (
        added([getattr(part.growth, name) for part in parts]) for name in ("k", "low", "mean", "high")
    )
    return Measured(
        name=f"{parts[0].name} .. {parts[-1].name}" if len(parts) > 1 else parts[0].name,
        size=int(offsets[-1]),
        nonzero=added([part.nonzero for part in parts]),
        energy=added([part.energy for part in parts]),
        inside=added([part.inside for part in parts]),
        growth=Growth(int(offsets[-1]), k, low, mean, high),
        own=added([part.own for part in parts]),
        shared=added([part.shared for part in parts]),
        union=np.concatenate([part.union + offset for part, offset in zip(parts, offsets)]),
    )


def added(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the sums of the columns."""
    return tuple(map(sum, zip(*rows)))


class Chosen(NamedTuple):
    """The entries that one worker keeps."""

    at: Indices
    nonzero: int
    energy: float
    inside: float


def chosen(blocks: Callable[[], Iterator[Vector]], k: int) -> Chosen:
    """Return the ``k`` largest nonzero entries of one worker, whose entries come in blocks.

    Of equal entries the ones with lower indices are chosen.  No more than a block is held at a time.
    """
    least, ties = threshold(lambda: map(magnitudes, blocks()), k)
    parts = [np.empty(0, np.int64)]
    offset = nonzero = 0
    inside = total = 0.0
    for x in blocks():
        size = magnitudes(x)
        equal = np.flatnonzero(size == least)[: ties if least else 0]
        ties -= len(equal)
        at = np.union1d(np.flatnonzero(size > least), equal)
        inside += energy(x[at])
        total += energy(x)
        nonzero += int(np.count_nonzero(x))
        parts.append(at + offset)
        offset += x.size
    return Chosen(np.concatenate(parts), nonzero, total, inside)


def threshold(sizes: Callable[[], Iterator[NDArray[Any]]], k: int) -> tuple[int, int]:
    """Return the ``k``-th largest of all these unsigned integers, and how many equal to it are among the ``k``.

    It is found digit by digit, from the highest, so that nothing is sorted and nothing kept.
    """
    if not k:  # above all magnitudes
        return int(np.iinfo(np.uint64).max), 0
    least, bits = 0, 8 * next(sizes()).itemsize
    for shift in range(bits - DIGIT, -1, -DIGIT):
        counts = np.zeros(1 << DIGIT, np.int64)
        for size in sizes():
            near = size if shift + DIGIT == bits else size[size >> (shift + DIGIT) == least]
            counts += np.bincount((near >> shift) & ((1 << DIGIT) - 1), minlength=len(counts))
        above = counts[::-1].cumsum()[::-1]  # so many have this digit or a higher one
        digit = int(np.flatnonzero(above >= k)[-1])
        k -= int(above[digit] - counts[digit])
        least = least << DIGIT | digit
    return least, k


def energy(x: Vector) -> float:
    """Return the squared norm."""
    return float(np.einsum("i,i->", x, x, dtype=np.float64))
