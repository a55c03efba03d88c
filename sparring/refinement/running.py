"""Running an implementation beside its page, in the simulated world: results, residuals and messages.

On *terms* a run stands for all inputs at once: where the implementation ends with the page's
term, every input gives the page's bits.  Up to ``PAIRED`` ranks a run on terms is paired with one
on floats, whose bits must be the evaluated term's, so that the terms are no fiction.  On numbers
results are the page's bit for bit.  Messages are as many bytes long as the page's formulas say, one by one
on every channel, and on numbers they carry what the page's do.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from sparring import page_runs, sparse_lists
from sparring.proofs.logic.terms import Table, leaves, raw
from sparring.refinement import vectors
from sparring.refinement.bits import judge_bits, visible
from sparring.refinement.comparison import PAIRED, Flaw
from sparring.refinement.example import Example
from sparring.refinement.observing import Call, Observed, observe
from sparring.refinement.playing import Played, iterated
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.refinement.vectors import misshapen, unlike
from sparring.sparse import Sparse
from sparring.spec.core import runner
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Run
from sparring.spec.core.schedule import number
from sparring.spec.core.sparse import SparseVector
from sparring.trace.compare import uncounted
from sparring.trace.compare import unlike as unlike_messages
from sparring.world import simulation
from sparring.world.core.findings import Sent

STEPS = "steps"
"""The property that messages falsify."""


def beside(page: Page, target: str, example: Example, call: Call = simulation.plainly, *, idle: int = 0) -> list[Flaw]:
    """Run ``target`` on the example beside the page: its results must have the page's bits, its messages be the page's.

    A result that is not the page's falsifies the example's property, a message *steps*.  ``idle``: see :func:`observe`.
    """
    seen = observe(target, example.xs, example.prop, call, record=True, idle=idle)
    misconduct = conduct(example.xs, seen)
    with untraced():
        calls = page_runs.known(page, example.xs)
        wrong = misconduct | judge_bits(page, example, seen, calls, strict=True)
        flaws = [Flaw(prop, f"{example.place}: {why}") for prop, why in wrong.items()]
        return flaws if misconduct else [*flaws, *unsent(calls, example.xs, seen, example.place)]


def on_numbers(
    page: Page, target: str, xs: Sequence[Any], prop: str, call: Call = simulation.plainly, *, idle: int = 0
) -> list[Flaw]:
    """Return the flaws of one call on these vectors, one a rank."""
    return beside(page, target, Example(list(xs), prop), call, idle=idle)


def on_calls(page: Page, target: str, example: Example, fault: Fault = unharmed, *, idle: int = 0) -> list[Flaw]:
    """Return the flaws of a target that remembers, call after call; of the example's parameters those that it has."""
    own = {name: value for name, value in example.params.items() if name in page.params}
    page = load(page.module, **{**page.params, **own})
    shown = visible(page)

    def call(kind: Any, comm: Any, xs: Any) -> Played:
        return iterated(kind, comm, xs, shown, **page.params)

    return beside(page, target, example._replace(params=own), fault(call), idle=idle)


def conduct(xs: Sequence[Any], seen: Observed) -> dict[str, str]:
    """Return property -> what the run itself shows to be wrong, whatever its results."""
    flaws = {"hygiene": seen.refused} if seen.refused else dict(seen.flaws)
    changed = [r for r, (x, after) in enumerate(zip(xs, seen.inputs)) if vectors.difference(after, x) is not None]
    return flaws | ({"input untouched": f"rank {changed[0]}'s input was changed"} if changed else {})


@simulation.seldom_collecting()
def on_terms(
    page: Page, target: str, p: int, n: int, buffers: str, call: Call = simulation.plainly
) -> tuple[list[Flaw], tuple[str, ...]]:
    """Run ``target`` on ``p`` ranks and ``n`` terms each, then on floats, against the page.

    Returns the flaws, and why one schedule does not decide for all.
    """
    table = Table(seed=p * 1_000_003 + n)
    xs = sparse_lists.page_inputs(page, [leaves(table, [f"x{r}[{i}]" for i in range(n)]) for r in range(p)])
    here = f"p={p} n={n} {buffers} sends"
    seen = observe(target, xs, "terms", call, buffers=buffers, terms=table)
    with untraced():
        said = runner.run(page, xs)
        wanted = said.results[:1] * p if page.agrees else said.results
        wrong = [
            *conduct(xs, seen).items(),
            *unlike_the_page(seen.ys, wanted, table),
            *(unlike_each_other(seen.ys, table) if page.agrees else ()),
        ]
        flaws = [Flaw(prop, f"{here}: {why}") for prop, why in wrong]
        flaws += [] if flaws else unsent([said], xs, seen, here)
    if not flaws and buffers == "synchronous" and p <= PAIRED:
        flaws = paired(page, target, table, wanted, p, n, here, call)
    return flaws, seen.why_not


def unlike_the_page(calls: Sequence[Sequence[Any]], wanted: Sequence[Any], table: Table) -> Iterator[tuple[str, str]]:
    """Yield the first rank and entry that is not the page's term."""
    for r, (y, right) in enumerate(zip(calls[0] if calls else (), wanted)):
        if (i := vectors.difference(y, right)) is not None:
            yield "terms", f"rank {r} {describe(y, right, i, table)}"
            return


def describe(y: Any, wanted: Any, i: int, table: Table) -> str:
    """Say what term a rank has and which it should have."""
    if i < 0:
        return sparse_lists.describe_difference(y, wanted) if isinstance(wanted, Sparse) else misshapen(y, wanted)
    has, right = (table.show(int(raw(sparse_lists.values(v))[i])) for v in (y, wanted))
    return f"entry {i} is {has}, the page's is {right}"


def unlike_each_other(calls: Sequence[Sequence[Any]], table: Table) -> Iterator[tuple[str, str]]:
    """Yield the first two ranks and the entry in which their terms, hence for some input their bits, differ."""
    first, *others = calls[0] if calls else [None]
    for r, y in enumerate(others, start=1):
        if (i := vectors.difference(y, first)) is not None:
            has, other = (
                "another shape" if i < 0 else table.show(int(raw(sparse_lists.values(v))[i])) for v in (y, first)
            )
            yield "agreement", f"entry {i} is {has} on rank {r}, {other} on rank 0"
            return


def paired(
    page: Page, target: str, table: Table, wanted: Sequence[Any], p: int, n: int, here: str, call: Call
) -> list[Flaw]:
    """Return a flaw unless the floats that the same code computes are the evaluated terms, bit for bit."""
    rng = np.random.default_rng(p * 1_000_003 + n)
    xs = [rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n) for _ in range(p)]
    values = {f"x{r}[{i}]": x for r, xr in enumerate(xs) for i, x in enumerate(xr.tolist())}
    bits = {id(one): evaluated(one, table, values) for one in wanted}
    inputs = sparse_lists.page_inputs(page, xs)
    seen = observe(target, inputs, "terms", call)
    flaws = [Flaw(prop, f"{here}: {why}") for prop, why in conduct(inputs, seen).items()]
    ended = enumerate(zip(seen.ys[0] if seen.ys else (), wanted))
    odd = ((r, why) for r, (y, right) in ended if (why := unlike(y, bits[id(right)])))
    return flaws + [Flaw("terms", f"{here}: on floats, not the evaluated term: rank {r} {why}") for r, why in odd][:1]


def evaluated(wanted: Any, table: Table, values: Mapping[str, Any]) -> Any:
    """Return a vector of terms as one of floats."""
    found = [table.evaluate(term, values, np.float64) for term in raw(sparse_lists.values(wanted)).tolist()]
    return sparse_lists.having(wanted, np.array(found, np.float64))


WATCHERS: list[Any] = []
"""Who traces this process for the sake of implementations alone: see :mod:`sparring.verification.reached_lines`."""


@contextmanager
def untraced() -> Iterator[None]:
    """Run the page in the block unwatched, which takes a third of the time; a tracer of the user's own sees it."""
    tracer = sys.gettrace()
    watched = any(tracer is one for one in WATCHERS)
    if watched:
        sys.settrace(None)
    try:
        yield
    finally:
        if watched:
            sys.settrace(tracer)


def unsent(calls: Sequence[Run], xs: Sequence[Any], seen: Observed, here: str) -> Iterator[Flaw]:
    """Yield the first message that is not the page's; without a trace only channels and lengths are compared."""
    found = unlike_messages(calls[0].page, xs, seen.trace, calls) or uncounted(seen.trace, calls) if seen.trace else ""
    if found := found or longer(calls, xs[0].dtype.itemsize, seen.messages):
        yield Flaw(STEPS, f"{here}: {found}")


def longer(calls: Sequence[Run], width: int, messages: Sequence[Sent]) -> str:
    """Name the first channel with messages of other lengths than the page says, where a value takes ``width`` bytes."""
    sent = channels((m.src, m.dst, m.nbytes) for m in messages)
    wanted = channels(message for ran in calls for message in lengths(ran, width))
    for src, dst in sorted({*sent, *wanted}):
        if sent[src, dst] != wanted[src, dst]:
            return f"rank {src} sends rank {dst} {sent[src, dst]} bytes, the page {wanted[src, dst]}"
    return ""


def lengths(ran: Run, width: int) -> Iterator[tuple[int, int, int]]:
    """Yield source, destination and bytes of each message of the page."""
    with np.errstate(all="ignore"):
        for src, dst, entries in (message for wire in ran.trace for message in wire):
            yield src, dst, octets(ran.page, entries, width)


def octets(page: Page, entries: Any, width: int) -> int:
    """Return the bytes of a message of these entries, where a value takes ``width``."""
    if isinstance(entries, SparseVector):
        return int(number(page.octets(len(entries.indices), entries.n, width)))
    return int(getattr(entries, "nbytes", len(entries) * width))


def channels(messages: Iterator[tuple[int, int, int]]) -> defaultdict[tuple[int, int], list[int]]:
    """Return the lengths of messages that are not empty, by source and destination, in order."""
    found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for src, dst, size in messages:
        if size:
            found[src, dst].append(size)
    return found
