"""Compares one call of an implementation with the page: inputs, runs of its real code, and results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring import sparse_lists
from sparring.proofs.logic.terms import Table, raw
from sparring.sparse import Sparse
from sparring.spec.core import runner
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Run
from sparring.spec.core.sparse import SparseVector
from sparring.world import simulation
from sparring.world.core.findings import Finding, Kind, Outcome

PAIRED = 9  # ranks; with more, evaluating terms takes longer than it teaches
DTYPES = ("float32", "float64", "int32", "int64")
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-40, 1.0, -1.0, 1e38)


Call = Callable[..., Any]
"""``call(target, comm, *args)``, what each rank does."""


class Flaw(NamedTuple):
    """What is wrong: the property that it falsifies, and one sentence."""

    property: str
    detail: str


class Ran(NamedTuple):
    """What came of one run.

    ``ys``: the ranks' results, none where the world found something; ``outside``: why one
    schedule does not decide for all; ``outcome``: all that the world tells.
    """

    ys: list[Any]
    flaws: list[Flaw]
    outcome: Outcome

    @property
    def outside(self) -> tuple[str, ...]:
        return self.outcome.why_not


LONG = 65  # entries a chunk: enough for an encoding without indices to be the cheapest before all are there


def sizes(p: int, sparse: bool = False) -> list[int]:
    """The lengths at which chunks are empty, single, even and uneven; where vectors are sparse, also long.

    With more ranks than ``PAIRED``, a run takes long: of these lengths three are left.
    """
    if p > PAIRED:
        return [1, p, 2 * p + 1]
    return sorted({0, 1, p - 1, p, p + 1, 2 * p + 1, *([LONG * p] if sparse else [])})


def compared(page: Page, xs: Sequence[Any], ys: Sequence[Any], prop: str, ran: Run | None = None) -> list[Flaw]:
    """The first place in which results are not the page's bits (any NaN equals any NaN); ``ran``: its run, if known."""
    for r, (y, w) in enumerate(zip(ys, expected(page, xs, ran))):
        if (i := difference(y, w)) is not None:
            return [Flaw(prop, f"{name_example(xs)}: rank {r} {describe_difference(y, w, i)}")]
    return []


def name_example(xs: Sequence[Any]) -> str:
    """Which example it is."""
    return f"p={len(xs)} n={xs[0].size} {xs[0].dtype}"


def describe_difference(y: Any, wanted: Any, i: int, table: Table | None = None) -> str:
    """What a rank has against what it should have, in words."""
    if isinstance(wanted, Sparse):
        return (
            sparse_lists.describe_difference(y, wanted)
            or f"at index {wanted.indices[i]}: {describe_difference(y.values, wanted.values, i, table)}"
        )
    if i < 0:
        return f"returned {type(y).__name__} {getattr(y, 'shape', '')}, not {wanted.size} entries of {wanted.dtype}"
    has, right = (table.show(int(raw(v)[i])) if table else repr(v[i].item()) for v in (y, wanted))
    return f"entry {i} is {has}, the page's is {right}"


def expected(page: Page, xs: Sequence[Any], ran: Run | None = None) -> list[Any]:
    """What the page computes; that infinities cancel to NaN is no surprise here.  ``ran``: its run, if known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = (ran or runner.run(page, xs)).results
    return [sparse_lists.made(y, xs[0].dtype) if isinstance(y, SparseVector) else y for y in results]


def run(
    target: str,
    xs: Sequence[Any],
    buffers: str,
    here: str,
    prop: str,
    terms: Table | None = None,
    call: Call = simulation.plainly,
    *,
    record: bool = False,
) -> Ran:
    """Run ``target`` in the world; what it finds falsifies ``prop``, unless it is a fault of conduct."""
    given = [x.copy() for x in xs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        outcome = simulation.run(target, len(xs), given, buffers=buffers, terms=terms, call=call, record=record)
    flaws = [Flaw(falsifies(finding, prop), f"{here}: {finding.text}") for finding in outcome.findings]
    changed = [r for r, (x, kept) in enumerate(zip(xs, given)) if difference(kept, x) is not None]
    if changed:
        flaws.append(Flaw("input untouched", f"{here}: rank {changed[0]}'s input was changed"))
    return Ran([] if outcome.findings else list(outcome.results), flaws, outcome)


def falsifies(finding: Finding, prop: str) -> str:
    """Which property a finding of the world stands against."""
    hangs = dict.fromkeys((Kind.DEADLOCK, Kind.LIVELOCK, Kind.BUDGET), "deadlock")
    return {**hangs, Kind.RAISED: prop, Kind.ABORTED: prop, Kind.NO_TERM: "terms"}.get(finding.kind, "hygiene")


def difference(y: Any, wanted: Any) -> int | None:
    """The first entry that differs in its bits; -1 where shape or dtype do; None where nothing does."""
    if isinstance(wanted, Sparse):
        return -1 if sparse_lists.describe_difference(y, wanted) else difference(y.values, wanted.values)
    if not isinstance(y, np.ndarray) or y.shape != wanted.shape or y.dtype != wanted.dtype:
        return -1
    a, b = raw(y), raw(wanted)
    same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    if a.dtype.kind == "f":
        same |= np.isnan(a) & np.isnan(b)
    return None if same.all() else int(np.argmin(same))


def vectors(dtype: str, p: int, n: int) -> list[Any]:
    """One vector a rank, full of what goes wrong: signed zeros, infinities, NaN, subnormals, wrap-around."""
    rng = np.random.default_rng([p, n, DTYPES.index(dtype)])
    if dtype.startswith("int"):
        info = np.iinfo(dtype)
        return [rng.integers(info.min, info.max, n, dtype, endpoint=True) for _ in range(p)]
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL).astype(dtype)
    normal = [rng.standard_normal(n).astype(dtype) for _ in range(p)]
    return [np.where(rng.random(n) < 0.3, rng.choice(special, n), x).astype(dtype) for x in normal]
