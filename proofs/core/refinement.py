"""Does the implementation compute what the page says?  Its real code runs in the simulated world.

On *terms* a run stands for all inputs at once: where the implementation ends with the page's
term, every input gives the page's bits.  Up to ``PAIRED`` ranks a run on terms is paired with one
on floats, whose bits must be the evaluated term's, so that the terms are no fiction.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.proofs.core import lists
from sparring.proofs.core.terms import Table, leaves, raw
from sparring.proofs.world import world
from sparring.proofs.world.findings import Finding, Kind
from sparring.sparse import Sparse
from sparring.spec.core import runner
from sparring.spec.core.model import Page
from sparring.spec.core.sparse import SparseVector

PAIRED = 17  # ranks; with more, evaluating terms takes longer than it teaches
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
    schedule does not decide for all.
    """

    ys: list[Any]
    flaws: list[Flaw]
    outside: tuple[str, ...] = ()


LONG = 65  # entries a chunk: enough for an encoding without indices to be the cheapest before all are there


def sizes(p: int, sparse: bool = False) -> list[int]:
    """The lengths at which chunks are empty, single, even and uneven; where vectors are sparse, also long.

    With more ranks than ``PAIRED``, a run takes long: of these lengths three are left.
    """
    if p > PAIRED:
        return [1, p, 2 * p + 1]
    return sorted({0, 1, p - 1, p, p + 1, 2 * p + 1, *([LONG * p] if sparse else [])})


def on_terms(page: Page, target: str, p: int, n: int, buffers: str, call: Call = world.plainly) -> Ran:
    """Run ``target`` on ``p`` ranks and ``n`` terms each, then on floats, against the page."""
    with world.seldom_collecting():
        return compared_on_terms(page, target, p, n, buffers, call)


def compared_on_terms(page: Page, target: str, p: int, n: int, buffers: str, call: Call) -> Ran:
    """As :func:`on_terms`."""
    table = Table(seed=p * 1_000_003 + n)
    xs = lists.given(page, [leaves(table, [f"x{r}[{i}]" for i in range(n)]) for r in range(p)])
    wanted = runner.run(page, xs).results[0]
    here = f"p={p} n={n} {buffers} sends"
    ran = run(target, xs, buffers, here, "terms", table, call)
    flaws = [*ran.flaws, *unlike_the_page(ran.ys, wanted, table, here), *unlike_each_other(ran.ys, table, here)]
    if not flaws and buffers == "synchronous" and p <= PAIRED:
        flaws = paired(page, target, table, wanted, p, n, here, call)
    return ran._replace(flaws=flaws)


def unlike_the_page(ys: Sequence[Any], wanted: Any, table: Table, here: str) -> list[Flaw]:
    """The first rank and entry that is not the page's term."""
    for r, y in enumerate(ys):
        if (i := difference(y, wanted)) is not None:
            return [Flaw("terms", f"{here}: rank {r} {told(y, wanted, i, table)}")]
    return []


def unlike_each_other(ys: Sequence[Any], table: Table, here: str) -> list[Flaw]:
    """The first two ranks and the entry in which their terms, hence for some input their bits, differ."""
    for r, y in enumerate(ys[1:], start=1):
        if (i := difference(y, ys[0])) is not None:
            has, first = ("another shape" if i < 0 else table.show(int(raw(lists.values(v))[i])) for v in (y, ys[0]))
            return [Flaw("agreement", f"{here}: entry {i} is {has} on rank {r}, {first} on rank 0")]
    return []


def paired(page: Page, target: str, table: Table, wanted: Any, p: int, n: int, here: str, call: Call) -> list[Flaw]:
    """The floats that the same code computes are the evaluated terms, bit for bit."""
    rng = np.random.default_rng(p * 1_000_003 + n)
    xs = [rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n) for _ in range(p)]
    values = {f"x{r}[{i}]": x for r, xr in enumerate(xs) for i, x in enumerate(xr.tolist())}
    evaluated = [table.evaluate(term, values, np.float64) for term in raw(lists.values(wanted)).tolist()]
    bits = lists.having(wanted, np.array(evaluated, np.float64))
    ran = run(target, lists.given(page, xs), "synchronous", here, "terms", call=call)
    for r, y in enumerate(ran.ys):
        if (i := difference(y, bits)) is not None:
            return [
                *ran.flaws,
                Flaw("terms", f"{here}: on floats, not the evaluated term: rank {r} {told(y, bits, i)}"),
            ]
    return ran.flaws


def on_numbers(page: Page, target: str, xs: Sequence[Any], prop: str, call: Call = world.plainly) -> list[Flaw]:
    """Run ``target`` on these vectors against the page, bit for bit; a deviation falsifies ``prop``."""
    ran = run(target, xs, "synchronous", place(xs), prop, call=call)
    return ran.flaws + compared(page, xs, ran.ys, prop)


def compared(page: Page, xs: Sequence[Any], ys: Sequence[Any], prop: str) -> list[Flaw]:
    """The first place in which results are not the page's bits (any NaN equals any NaN)."""
    for r, (y, w) in enumerate(zip(ys, expected(page, xs))):
        if (i := difference(y, w)) is not None:
            return [Flaw(prop, f"{place(xs)}: rank {r} {told(y, w, i)}")]
    return []


def place(xs: Sequence[Any]) -> str:
    """Which example it is."""
    return f"p={len(xs)} n={xs[0].size} {xs[0].dtype}"


def told(y: Any, wanted: Any, i: int, table: Table | None = None) -> str:
    """What a rank has against what it should have, in words."""
    if isinstance(wanted, Sparse):
        return lists.told(y, wanted) or f"at index {wanted.indices[i]}: {told(y.values, wanted.values, i, table)}"
    if i < 0:
        return f"returned {type(y).__name__} {getattr(y, 'shape', '')}, not {wanted.size} entries of {wanted.dtype}"
    has, right = (table.show(int(raw(v)[i])) if table else repr(v[i].item()) for v in (y, wanted))
    return f"entry {i} is {has}, the page's is {right}"


def expected(page: Page, xs: Sequence[Any]) -> list[Any]:
    """What the page computes; that infinities cancel to NaN is no surprise here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = runner.run(page, xs).results
    return [lists.made(y, xs[0].dtype) if isinstance(y, SparseVector) else y for y in results]


def run(
    target: str,
    xs: Sequence[Any],
    buffers: str,
    here: str,
    prop: str,
    terms: Table | None = None,
    call: Call = world.plainly,
) -> Ran:
    """Run ``target`` in the world; what it finds falsifies ``prop``, unless it is a fault of conduct."""
    given = [x.copy() for x in xs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        outcome = world.run(target, len(xs), given, buffers=buffers, terms=terms, call=call)
    flaws = [Flaw(falsifies(finding, prop), f"{here}: {finding.text}") for finding in outcome.findings]
    changed = [r for r, (x, kept) in enumerate(zip(xs, given)) if difference(kept, x) is not None]
    if changed:
        flaws.append(Flaw("input untouched", f"{here}: rank {changed[0]}'s input was changed"))
    return Ran([] if outcome.findings else list(outcome.results), flaws, outcome.why_not)


def falsifies(finding: Finding, prop: str) -> str:
    """Which property a finding of the world stands against."""
    hangs = dict.fromkeys((Kind.DEADLOCK, Kind.LIVELOCK, Kind.BUDGET), "deadlock")
    return {**hangs, Kind.RAISED: prop, Kind.NO_TERM: "terms"}.get(finding.kind, "hygiene")


def difference(y: Any, wanted: Any) -> int | None:
    """The first entry that differs in its bits; -1 where shape or dtype do; None where nothing does."""
    if isinstance(wanted, Sparse):
        return -1 if lists.told(y, wanted) else difference(y.values, wanted.values)
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
