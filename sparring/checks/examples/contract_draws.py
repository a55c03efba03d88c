"""Examples for contracts: several calls of one instance, within the bounds that somebody sets for what is drawn.

All values are finite: what a compressor makes of NaN or infinity is no matter of what it promises.  Some vectors have
ties and zeros, others have none, and some have entries that are very large, very small, or both.  In some calls one
rank has nothing but zeros, or all ranks but one have: code that divides by a norm, or keeps nothing, is wrong there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.checks.examples import series
from sparring.errors import InputError, did_you_mean
from sparring.refinement.example import Example

Span = tuple[int, int]
"""The least and the most."""
FLOATS = ("float64", "float32")
"""The dtypes of vectors."""
CALLS = (1, 4)
"""Calls that are judged, where no bound says how many."""
MANY = 9
"""Calls of some other examples, for what is done anew every few calls."""
LONGER = (300, 1_025)
"""Entries of some other examples, where no bound says how many."""
FAR = 6
"""The most powers of ten by which entries are larger or smaller than usual."""
SOME = 100
"""About how many numbers of a long span are drawn."""
MOST = {"n": 1_000_000, "k": 1_000_000, "calls": 1_000, "warm-up": 1_000}
"""The most that may be asked for."""


class Bounds(NamedTuple):
    """The spans to draw from: ``n`` entries, ``k`` of them kept, ``calls`` that are judged, ``warm_up`` calls before.

    ``n`` is 0 to 2p + 3, unless it is given; ``k`` is drawn only where it is given.
    """

    n: Span | None = None
    k: Span | None = None
    calls: Span | None = None
    warm_up: Span = (0, 0)

    @property
    def asked(self) -> dict[str, str]:
        """The bounds as text, by name, in the form in which they are asked for."""
        spans = {name.replace("_", "-"): span for name, span in self._asdict().items() if span and span != (0, 0)}
        return {name: str(low) if low == high else f"{low}-{high}" for name, (low, high) in spans.items()}

    def lengths(self, p: int) -> list[int]:
        """Return the numbers of entries on ``p`` ranks; of a long span only some."""
        return some(self.n, p) if self.n else [*range(2 * p + 4), *LONGER]

    def usual(self, p: int, n: int, k: int | None) -> bool:
        """Return whether a size is no edge size: at least one entry a rank, and between 1 and all entries kept."""
        return n >= max(p, 1) and (k is None or 1 <= k <= n)

    def allow(self, p: int, calls: int, n: int, k: int | None) -> bool:
        """Return whether examples of this size are within the bounds."""
        low, high = self.n or (0, max(LONGER))
        kept = k is None or self.k is None or self.k[0] <= k <= self.k[1]
        return low <= n <= high and calls >= self.warm_up[0] + (self.calls or CALLS)[0] and kept

    def given(self, example: Example) -> Example:
        """Return the example with a number of kept entries: the least within the bounds from 1 on, at most all."""
        k = self.k and min(max(1, self.k[0]), example.n)
        return example._replace(params={series.KEPT: k}) if k is not None else example

    def sizes(self, p: int, kind: str) -> list[tuple[int, int | None]]:
        """Return the sizes of a kind of examples: entries, and how many are kept; of long spans only some."""
        kept = some(self.k) if self.k else [None]
        both = [(n, k) for n in self.lengths(p) for k in kept]
        return [(n, k) for n, k in both if self.usual(p, n, k) == (kind != "edge sizes")]


def some(span: Span, near: int = 0) -> list[int]:
    """Return the numbers of a span; of a long one a sample, the first, the last, and those around ``near``."""
    low, high = span
    step = 1 + (high - low) // SOME
    if step == 1:
        return [*range(low, high + 1)]
    around = range(max(low, near - 2), min(high, near + 8) + 1)
    return sorted({*range(low, low + SOME // 4), *range(low, high + 1, step), high, *around})


def bounds(given: Mapping[str, Any]) -> Bounds:
    """Read the bounds from a mapping such as ``{"n": "1-64", "k": 3, "calls": "33-40", "warm-up": 32}``.

    Raises InputError for another name, or a value that is no span of whole numbers.

    >>> bounds({"n": "1-64", "k": 3})
    Bounds(n=(1, 64), k=(3, 3), calls=None, warm_up=(0, 0))
    """
    for name in given:
        if name not in MOST:
            raise InputError(f"draw: no {name!r} is drawn; {did_you_mean(name, MOST)}there are {', '.join(MOST)}")
    return Bounds(**{name.replace("-", "_"): span(name, str(value)) for name, value in given.items()})


def span(name: str, text: str) -> Span:
    """Read a span from the text ``N`` or ``N-M``; raises InputError for any other text."""
    low, dash, high = text.partition("-")
    if not (low.isdecimal() and (not dash or high.isdecimal())):
        raise InputError(f"draw: {name} = {text!r}: write a whole number or a span, {name}=8 or {name}=1-8")
    least, most = int(low), int(high or low)
    if not max(least, name == "calls") <= most <= MOST[name]:
        raise InputError(f"draw: {name} = {text!r}: it must be a span from {int(name == 'calls')} to {MOST[name]}")
    return max(least, int(name == "calls")), most


def none(ranks: Sequence[int], kind: str, drawn: Bounds) -> str:
    """Say why there are no examples of a kind; "" if there are."""
    within = ", ".join(f"{name}={said}" for name, said in drawn.asked.items())
    return "" if any(drawn.sizes(p, kind) for p in ranks) else f"none is within the bounds, {within}"


def example(rng: np.random.Generator, ranks: Sequence[int], kind: str, drawn: Bounds, *, near: bool) -> Example:
    """Draw one example; ``near``: entries are of usual magnitudes, for what is promised of these alone."""
    p = int(rng.choice([p for p in ranks if drawn.sizes(p, kind)]))
    sizes = drawn.sizes(p, kind)
    n, k = sizes[int(rng.integers(len(sizes)))]
    judged = drawn.calls or ((MANY, MANY) if rng.random() < 0.15 else CALLS)
    calls = sum(int(rng.integers(*span, endpoint=True)) for span in (judged, drawn.warm_up))
    dtype = str(rng.choice(FLOATS[:1] if kind == "result" else FLOATS))
    rows = series.silenced(rng, values(rng, (p, calls, n), near=near)).astype(dtype)
    return series.having(Example([], kind, {} if k is None else {series.KEPT: k}), rows)


def values(rng: np.random.Generator, shape: tuple[int, ...], *, near: bool) -> NDArray[Any]:
    """Draw entries: tenths, with ties and zeros or without; all as much larger or smaller, or each on its own."""
    some, normal = rng.choice(series.VALUES, shape) / 10, np.round(10 * rng.standard_normal(shape), 1)
    exponent = rng.uniform(-FAR, FAR, shape if rng.random() < 0.5 else (1,) * len(shape))
    return [some, normal, normal * 10.0**exponent][int(rng.integers(2 if near else 3))]


def fewer(example: Example, ranks: Sequence[int], drawn: Bounds) -> Iterator[Example]:
    """Yield examples of the same kind with fewer ranks, calls, entries or kept entries, or with smaller values."""
    rows, k = example.rows, example.params.get(series.KEPT)

    def fits(cut: NDArray[Any], k: int | None) -> bool:
        p, calls, n = cut.shape
        usual = drawn.usual(p, n, k) == (example.prop != "edge sizes")
        return p in ranks and usual and drawn.allow(p, calls, n, k)

    for axis in range(3):
        pieces = (np.delete(rows, at, axis) for at in blocks(rows.shape[axis]))
        yield from (series.having(example, cut) for cut in pieces if fits(cut, k))
    if k is not None:
        yield from (example._replace(params={series.KEPT: less}) for less in range(k) if fits(rows, less))
    for axis in range(3):
        emptied = (series.changed(rows, slice_at(axis, i), 0) for i in range(rows.shape[axis]))
        yield from (series.having(example, cut) for cut in emptied if (cut != rows).any())
    yield from series.smaller(example, rows)


def slice_at(axis: int, i: int) -> tuple[Any, ...]:
    """Return the index that selects everything at position ``i`` of one of three axes."""
    return (slice(None),) * axis + (i,)


def blocks(size: int) -> Iterator[slice]:
    """Yield slices of ``size`` places: halves first, then quarters, and so on to single places."""
    length = size // 2
    while length:
        yield from (slice(at, at + length) for at in range(0, size - length + 1, length))
        length //= 2
