"""Checks that an implementation returns numpy's sum, or mean, whatever its page says.

The other looks run an implementation beside its page, and pass both where both are wrong alike.  Here no text is asked.
Of the page only this is known: whether it adds or averages, and whether it sends later what it does not send now.

Then ranks get a few vectors and after them zeros, until all has come: what all calls return adds up to what ranks had.
Others get one vector again and again, so that what codes are off by in expectation is small beside all results.
A proof module says with which parameters the sum is owed to all ranks (``owed``), and of codes how far all results
together may be off (``off``); that must be so little that a rank's vector, left out, would be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.proofs.reading.annotations import companion
from sparring.refinement.comparison import Flaw
from sparring.refinement.differential import options
from sparring.refinement.observing import observe
from sparring.refinement.rounding import reference
from sparring.refinement.running import conduct
from sparring.refinement.runtime_faults import Fault
from sparring.sparse import Sparse
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page

SUM = "sum"
"""The property that other results falsify."""
GIVEN, CALLS = 3, 30
"""Calls with a vector of their own, where what is not sent is sent later; and calls in all."""
EACH, KEPT = 6, 2
"""Entries of a vector, and how many of them are sent, for each rank."""
LARGE = 16.0
"""What is added to an entry of each rank, that norms and ranges are not much more than an entry."""
WHOLE = 1 << 20
"""By what vectors of whole numbers are larger."""
ABSENT = 0.5
"""How many entries of sparse vectors are not there."""
Array = NDArray[Any]


class Owed(NamedTuple):
    """A run after which all ranks should have the sum: each rank's vectors, a row a call."""

    page: Page
    target: str
    xs: Sequence[Array]

    @property
    def place(self) -> str:
        """The example in words."""
        (calls, n), params = self.xs[0].shape, self.page.params
        told = "".join(f" {name}={value}" for name, value in params.items())
        return f"p={len(self.xs)} n={n} {self.xs[0].dtype}{told}{f', {calls} calls' if calls > 1 else ''}"

    @property
    def total(self) -> tuple[Array, Array]:
        """The sum of all calls by numpy, and how far results may be off: by rounding, and as the proof module says."""
        rows = [row for x in self.xs for row in x]
        exact, slack = reference(rows, len(rows))
        off: Callable[..., Any] = getattr(companion(self.page), "off", lambda xs, params: 0.0)
        slack = slack + off([x.astype(np.float64) for x in self.xs], self.page.params)
        return (exact / len(self.xs), slack / len(self.xs)) if self.page.averages else (exact, slack)

    def flaws(self, fault: Fault) -> Iterator[Flaw]:
        """Yield the first rank and entry that are off by more."""
        page = self.page
        given = page.params if page.stateful else options(page, self.target)
        call = partial(again, **given) if page.stateful else partial(once, sparse=page.sparse, **given)
        seen = observe(self.target, self.xs, SUM, fault(call))
        with np.errstate(all="ignore"):  # what ranks return may be no numbers
            said = [*self.hidden(), *self.wrong(seen.ys[0])] if seen.ys else []
        wrong = [*conduct(self.xs, seen).items(), *((SUM, why) for why in said)]
        yield from (Flaw(prop, f"{self.place}: {why}") for prop, why in wrong)

    def hidden(self) -> Iterator[str]:
        """Yield a rank that could be left out unseen."""
        exact, slack = self.total
        share = len(self.xs) if self.page.averages else 1
        for r, x in enumerate(self.xs):
            if exact.size and not (np.abs(x.sum(axis=0, dtype=np.float64)) / share > 2 * slack).any():
                yield f"results may be off by so much that rank {r}'s vector could be missing"

    def wrong(self, ys: Sequence[Array]) -> Iterator[str]:
        """Yield what is wrong with the ranks' results."""
        exact, slack = self.total
        for r, y in enumerate(ys):
            if y.shape != self.xs[r].shape or y.dtype != self.xs[r].dtype:
                yield f"rank {r} returned {y.dtype} of shape {y.shape}"
                return
            total = y.sum(axis=0, dtype=y.dtype if y.dtype.kind == "i" else np.float64)
            if (far := np.flatnonzero(~(np.abs(total - exact) <= slack))).size:
                i = int(far[0])
                yield f"entry {i} of rank {r} adds up to {total[i]}, numpy's to {exact[i]}"
                return
        if self.page.selecting and (late := np.flatnonzero(np.abs(ys[0][0] - self.first) > slack)).size:
            yield f"entry {int(late[0])} is of the largest on all ranks, and did not come at once"
        if self.page.agrees and (odd := [r for r, y in enumerate(ys) if not np.array_equal(y, ys[0])]):
            yield f"rank {odd[0]} has other numbers than rank 0"

    @property
    def first(self) -> Array:
        """The largest entries of the first sum."""
        first = np.sum([x[0] for x in self.xs], axis=0)
        return np.where(largest(first.size), first, 0)


def largest(n: int) -> NDArray[np.bool_]:
    """Return which entries of the first vectors are large, where entries are selected: as many in each chunk."""
    large: NDArray[np.bool_] = np.arange(n) % (EACH // KEPT) == 0
    return large


def runs(page: Page, target: str, p: int) -> Iterator[Owed]:
    """Yield a run for each set of parameters with which the sum is owed; of exact sums, for all dtypes."""
    owed: Callable[[int], Sequence[Mapping[str, Any]]] = getattr(companion(page), "owed", lambda p: ({},))
    kept = {"k": KEPT * p} if page.selecting or (page.selector and "k" in page.params) else {}
    for params in owed(p):
        one = load(page.module, **{**page.params, **kept, **params})
        for dtype in page.dtypes if not page.stateful else page.dtypes[:1]:
            yield Owed(one, target, vectors(one, p, dtype))


def vectors(page: Page, p: int, dtype: str) -> list[Array]:
    """Return each rank's rows."""
    rng = np.random.default_rng(p)
    later = page.selecting or hasattr(page.module, "waiting")
    xs = [rng.standard_normal((GIVEN if later else 1, EACH * p)) for _ in range(p)]
    for r, x in enumerate(xs):
        if page.selecting:
            x[:, largest(x.shape[1])] += LARGE
        elif not later:
            x[:, r] += LARGE
        if page.sparse:
            x[:, rng.random(x.shape[1]) < ABSENT] = 0
    rounded = [(x * WHOLE).astype(dtype) if dtype.startswith("int") else x.astype(dtype) for x in xs]
    if not page.stateful:
        return rounded
    zeros = np.zeros((CALLS - GIVEN, EACH * p), dtype)
    return [np.vstack([x, zeros]) if later else np.repeat(x, CALLS, axis=0) for x in rounded]


def once(function: Any, comm: Any, xs: Array, *, sparse: bool, **params: Any) -> Array:
    """Call the function, and return a row with its result; the zeros of a sparse vector are not there."""
    (x,) = xs
    return np.stack([full(function(comm, Sparse(at := np.flatnonzero(x), x[at], x.size) if sparse else x, **params))])


def again(kind: Any, comm: Any, xs: Array, **params: Any) -> Array:
    """Call one instance on each row, and return a row for each call."""
    instance = kind(comm, xs.shape[1], **params)
    return np.stack([full(instance(x)).copy() for x in xs])


def full(y: Any) -> Any:
    """Return all entries of a result."""
    return y.dense() if isinstance(y, Sparse) else y
