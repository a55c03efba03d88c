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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from sparring import page_runs, sparse_lists
from sparring.proofs.logic.terms import Table, leaves, raw
from sparring.refinement import comparison, stateful
from sparring.refinement.comparison import PAIRED, Call, Flaw, Ran
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.refinement.stateful import Case
from sparring.spec.core import runner
from sparring.spec.core.model import Page, load
from sparring.spec.core.runner import Run
from sparring.spec.core.schedule import number
from sparring.spec.core.sparse import SparseVector
from sparring.trace.compare import unlike
from sparring.trace.events import from_outcome
from sparring.world import simulation
from sparring.world.core.findings import Sent

STEPS = "steps"
"""The property that messages falsify."""


@simulation.seldom_collecting()
def on_terms(page: Page, target: str, p: int, n: int, buffers: str, call: Call = simulation.plainly) -> Ran:
    """Run ``target`` on ``p`` ranks and ``n`` terms each, then on floats, against the page."""
    table = Table(seed=p * 1_000_003 + n)
    xs = sparse_lists.page_inputs(page, [leaves(table, [f"x{r}[{i}]" for i in range(n)]) for r in range(p)])
    here = f"p={p} n={n} {buffers} sends"
    ran = comparison.run(target, xs, buffers, here, "terms", table, call)
    with untraced():
        said = runner.run(page, xs)
        wanted = said.results[0]
        flaws = [*ran.flaws, *unlike_the_page(ran.ys, wanted, table, here), *unlike_each_other(ran.ys, table, here)]
        flaws += unsent([said], xs, ran, here, read=False)
    if not flaws and buffers == "synchronous" and p <= PAIRED:
        flaws = paired(page, target, table, wanted, p, n, here, call)
    return ran._replace(flaws=flaws)


def unlike_the_page(ys: Sequence[Any], wanted: Any, table: Table, here: str) -> list[Flaw]:
    """The first rank and entry that is not the page's term."""
    for r, y in enumerate(ys):
        if (i := comparison.difference(y, wanted)) is not None:
            return [Flaw("terms", f"{here}: rank {r} {comparison.describe_difference(y, wanted, i, table)}")]
    return []


def unlike_each_other(ys: Sequence[Any], table: Table, here: str) -> list[Flaw]:
    """The first two ranks and the entry in which their terms, hence for some input their bits, differ."""
    for r, y in enumerate(ys[1:], start=1):
        if (i := comparison.difference(y, ys[0])) is not None:
            has, first = (
                "another shape" if i < 0 else table.show(int(raw(sparse_lists.values(v))[i])) for v in (y, ys[0])
            )
            return [Flaw("agreement", f"{here}: entry {i} is {has} on rank {r}, {first} on rank 0")]
    return []


def paired(page: Page, target: str, table: Table, wanted: Any, p: int, n: int, here: str, call: Call) -> list[Flaw]:
    """The floats that the same code computes are the evaluated terms, bit for bit."""
    rng = np.random.default_rng(p * 1_000_003 + n)
    xs = [rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n) for _ in range(p)]
    values = {f"x{r}[{i}]": x for r, xr in enumerate(xs) for i, x in enumerate(xr.tolist())}
    evaluated = [table.evaluate(term, values, np.float64) for term in raw(sparse_lists.values(wanted)).tolist()]
    bits = sparse_lists.having(wanted, np.array(evaluated, np.float64))
    ran = comparison.run(target, sparse_lists.page_inputs(page, xs), "synchronous", here, "terms", call=call)
    for r, y in enumerate(ran.ys):
        if (i := comparison.difference(y, bits)) is not None:
            return [
                *ran.flaws,
                Flaw(
                    "terms",
                    f"{here}: on floats, not the evaluated term: rank {r} {comparison.describe_difference(y, bits, i)}",
                ),
            ]
    return ran.flaws


def on_numbers(page: Page, target: str, xs: Sequence[Any], prop: str, call: Call = simulation.plainly) -> list[Flaw]:
    """Run ``target`` on these vectors, one a rank; other results falsify ``prop``, other messages *steps*."""
    here = comparison.name_example(xs)
    ran = recorded(target, xs, here, prop, call)
    with untraced():
        said = runner.run(page, xs)
        return [*ran.flaws, *comparison.compared(page, xs, ran.ys, prop, said), *unsent([said], xs, ran, here)]


def on_calls(page: Page, target: str, case: Case, prop: str, fault: Fault = unharmed) -> list[Flaw]:
    """The same of a target that remembers, call after call."""
    asked = {"shown": tuple(stateful.shown(page))} if page.dense else {}
    call = fault(partial(stateful.iterate if page.selecting else stateful.answer, **asked, **case.params(page)))
    ran = recorded(target, case.xs, case.place, prop, call)
    with untraced():
        calls = [*page_runs.runs(load(page.module, **case.params(page)), case.xs)]
        found = stateful.compared(page, case, ran.ys, prop, calls)
        return [*ran.flaws, *found, *unsent(calls, case.xs, ran, case.place)]


WATCHERS: list[Any] = []
"""Who traces this process for the sake of implementations alone: see :mod:`sparring.verification.reached_lines`."""


@contextmanager
def untraced() -> Iterator[None]:
    """The page runs unwatched, which takes a third of the time; a tracer of the user's own sees it."""
    tracer = sys.gettrace()
    watched = any(tracer is one for one in WATCHERS)
    if watched:
        sys.settrace(None)
    try:
        yield
    finally:
        if watched:
            sys.settrace(tracer)


def recorded(target: str, xs: Sequence[Any], here: str, prop: str, call: Call) -> Ran:
    """A run whose messages are kept."""
    return comparison.run(target, xs, "synchronous", here, prop, call=call, record=True)


def unsent(calls: Sequence[Run], xs: Sequence[Any], ran: Ran, here: str, *, read: bool = True) -> Iterator[Flaw]:
    """The first message that is not the page's; nothing where the run came to no good end.

    Unless messages are ``read``, these are compared by their channels and lengths alone.
    """
    if ran.flaws:
        return
    found = unlike(calls[0].page, xs, from_outcome(ran.outcome, len(xs)), calls) if read else ""
    if found := found or longer(calls, xs[0].dtype.itemsize, ran.outcome.messages):
        yield Flaw(STEPS, f"{here}: {found}")


def longer(calls: Sequence[Run], width: int, messages: Sequence[Sent]) -> str:
    """The first channel with messages of other lengths than the page says, where a value takes ``width`` bytes."""
    sent = channels((m.src, m.dst, m.nbytes) for m in messages)
    wanted = channels(message for ran in calls for message in lengths(ran, width))
    for src, dst in sorted({*sent, *wanted}):
        if sent[src, dst] != wanted[src, dst]:
            return f"rank {src} sends rank {dst} {sent[src, dst]} bytes, the page {wanted[src, dst]}"
    return ""


def lengths(ran: Run, width: int) -> Iterator[tuple[int, int, int]]:
    """Source, destination and bytes of each message of the page."""
    with np.errstate(all="ignore"):
        for src, dst, entries in (message for wire in ran.trace for message in wire):
            yield src, dst, octets(ran.page, entries, width)


def octets(page: Page, entries: Any, width: int) -> int:
    """The bytes of a message of these entries, where a value takes ``width``."""
    if isinstance(entries, SparseVector):
        return int(number(page.octets(len(entries.indices), entries.n, width)))
    return int(getattr(entries, "nbytes", len(entries) * width))


def channels(messages: Iterator[tuple[int, int, int]]) -> defaultdict[tuple[int, int], list[int]]:
    """The lengths of messages that are not empty, by source and destination, in order."""
    found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for src, dst, size in messages:
        if size:
            found[src, dst].append(size)
    return found
