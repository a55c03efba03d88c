"""The ways in which ``verify`` looks at an implementation on the simulated world, each at a property of its own.

Where code may take another way, a look goes there: a result in the input's memory, other parameters, many ranks
and calls, vectors longer than what is looked at together, bad arguments, and receives of the caller's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import sparse_lists
from sparring.proofs.reading.annotations import companion, subject
from sparring.refinement import comparison, running, stateful, sums
from sparring.refinement.comparison import DTYPES, Flaw, sizes
from sparring.refinement.differential import FEW, accepted, called, examples, in_place, options
from sparring.refinement.example import Example
from sparring.refinement.observing import Call
from sparring.refinement.refusals import refusals
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.sparse import Sparse
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

FEWEST = 2
"""Entries that are selected: so few that messages need an index."""
MANY = (9, 16, 17, 31, 33)
"""Numbers of ranks beyond those of all lengths: above, at and below powers of two."""
ABOVE = (9, 17)
"""Those of a first look."""
SOME = 4  # ranks, up to which other parameters than the page's own are tried
LONG, KEPT = 70_000, 50
"""Entries of vectors that a target may look at block by block, and how many of them it sends."""
CALLS = 9  # of one instance, so that every period ends
BLOCK, SEVERAL = 64, 10
"""The entries of small blocks, and how many a vector has."""
OF_MESSAGES = ("sparring.impl.core.encodings", "sparring.impl.core.messages")
SPACED = 1 << 12
"""Few entries are so far apart; a sample that takes every 2, 4, 8, ... has all of them."""
LENGTH = comparison.LONG
"""Of a chunk for which each encoding is the shortest for some number of entries."""
ENTRIES, APART = 300, 1 << 10
"""Of a long sparse vector, and how far they are apart at most: a chunk is longer than 16 bits tell apart."""


class Trial(NamedTuple):
    """A run, or several that belong together: the number of ranks, and a function that returns their flaws."""

    ranks: int
    flaws: Callable[[Fault], Iterable[Flaw]]


class Look(NamedTuple):
    """All trials of a property; ``told``: what they are, in words.

    ``long``: what they reach others reach as well, and it takes long to watch them.
    """

    property: str
    told: str
    trials: Sequence[Trial]
    long: bool = False


def looks(page: Page, target: str, ranks: Sequence[int], *, full: bool) -> list[Look]:
    """Return the looks that apply to the page, on no more ranks than the most of ``ranks``.

    Unless ``full``, those of a first look: where few ranks are enough for an error to show, on fewer.
    """
    few = [p for p in ranks if p <= (FEW if full else 2)]
    added = [p for p in ranks if p <= FEW or (full and p == max(ranks))]
    varied = [p for p in ranks if p <= (SOME if full else FEW)]
    apart = f"{LONG} entries; of sparse ones {ENTRIES} of {ENTRIES * APART}"
    found = [
        Look("bad input", "on one rank, and on all", [Trial(p, partial(refused, page, target, p)) for p in few]),
        Look(
            sums.SUM, f"over {sums.CALLS} calls" if page.stateful else "of all dtypes", [*summing(page, target, added)]
        ),
        Look("parameters", "each of the page's at other values", [*other_parameters(page, target, varied)]),
        Look("in place", "the result in the memory of the input", [*in_its_memory(page, target, ranks)]),
        Look("long vectors", apart, [*in_small_blocks(page, target, ranks), *long(page, target, ranks)]),
    ]
    return [look for look in found if look.trials]


def summing(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Runs after which all ranks should have what numpy has."""
    for p in ranks:
        for owed in sums.runs(page, target, p):
            yield Trial(p, owed.flaws)


def variants(page: Page) -> list[dict[str, Any]]:
    """Return the page's own parameters, those of its proof module, and the least two for which theorems hold.

    Where entries are selected once, and messages have no index if all are, also a few entries.
    """
    least, others = subject(page).least, getattr(companion(page), "others", ())
    fewer = ({name: value + more for name, value in least.items()} for more in range(2))
    few = [{"k": FEWEST}] if page.once else []
    return [{**page.params, **params} for params in ({}, *others, *few, *(fewer if least else ()))]


def other_parameters(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield a few vectors for each variant; for stateful targets every second edge case in turn, and many calls."""
    others = [load(page.module, **params) for params in variants(page)[1:]]
    for p, (v, one) in product(reversed(ranks), enumerate(others)):
        for xs in examples(one, p):
            yield Trial(p, partial(on_numbers, one, function(page, target), xs, "parameters"))
        for case in stateful.edges([p], page.dtypes[:1], "parameters")[(p + v) % 2 :: 2] if page.stateful else ():
            yield Trial(p, partial(running.on_calls, one, target, case))
    for one in others if page.stateful and FEW in ranks else ():
        yield Trial(FEW, partial(running.on_calls, one, target, often(page.dtypes[0])))


def often(dtype: str) -> Example:
    """Return an example of many calls, each with other vectors."""
    rng = np.random.default_rng(CALLS)
    xs = [rng.integers(-9, 10, (CALLS, 13)).astype(dtype) for _ in range(FEW)]
    return Example(xs, "parameters", {"k": 4})


def function(page: Page, target: str) -> str:
    """Return the target, or the function beside a class: one call of it sends what a call of the class does."""
    return f"{target.rpartition(':')[0]}:{page.collective}" if page.stateful else target


def in_its_memory(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials of all lengths; with few ranks of all dtypes."""
    plain = function(page, target)
    if "out" not in accepted(plain):
        return
    for p in ranks:
        for n in sizes(p):
            for dtype in page.dtypes if p <= FEW else page.dtypes[:1]:
                xs = sparse_lists.page_inputs(page, comparison.vectors(dtype, p, n))
                yield Trial(p, partial(on_numbers, page, plain, xs, "in place", call=in_place))


def many(page: Page, target: str, ranks: Sequence[int], *, full: bool) -> Iterator[Trial]:
    """Yield trials of short vectors on many ranks, where no terms are run."""
    for p in (MANY if full else ABOVE) if max(ranks) >= SOME and (page.stateful or page.composed) else ():
        if page.stateful:
            case = Example([rows[:2] for rows in stateful.vectors("float32", p, p + 1)], "dtypes", {"k": p // 2})
            yield Trial(p, partial(running.on_calls, page, target, case))
        else:
            xs = sparse_lists.page_inputs(page, comparison.vectors("float32", p, p + 1))
            yield Trial(p, partial(on_numbers, page, target, xs, "dtypes"))


def turning(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials of sparse vectors around the number of entries at which another encoding becomes the shortest."""
    for p, dtype in product([p for p in ranks if p <= 2], page.dtypes[:2] if page.sparse else ()):
        width, cuts = np.dtype(dtype).itemsize, number(page.chunks(p))
        names = [page.encoded(m, LENGTH, width) for m in range(LENGTH + 1)]
        turns = [m for m in range(1, LENGTH + 1) if names[m] != names[m - 1]]
        for m in sorted({many for turn in turns for many in (turn - 1, turn)}):
            parts = [range(m * r // p, m * (r + 1) // p) for r in range(p)]  # whose sum has m entries
            starts = np.arange(cuts)[:, None] * LENGTH
            xs = [
                Sparse(at := (starts + np.array(part, np.int64)).ravel(), np.ones(at.size, dtype), cuts * LENGTH)
                for part in parts
            ]
            yield Trial(p, partial(on_numbers, page, target, xs, "dtypes"))


def repeated(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials of a function's second call, before which what it keeps of a communicator was not there."""
    for p in (p for p in ranks if p <= FEW and not page.stateful):
        xs = sparse_lists.page_inputs(page, comparison.vectors(page.dtypes[0], p, 2 * p + 1))
        yield Trial(p, partial(on_numbers, page, target, xs, "dtypes", call=second, read=False))


def second(target: Any, comm: Any, x: Any, **given: Any) -> Any:
    """Call the target with other values before."""
    called(target, comm, sparse_lists.having(x, sparse_lists.values(x) * 2), **given)
    return called(target, comm, x, **given)


def apart(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials of ranks that have a communicator of their own: there is one rank more, with no part in the call."""
    for p in (p for p in ranks if p <= FEW):
        if page.stateful:
            case = Example([rows[:2] for rows in stateful.vectors("float32", p, 2 * p + 1)], "dtypes", {"k": p})
            yield Trial(p, partial(running.on_calls, page, target, case, idle=1))
        else:
            xs = sparse_lists.page_inputs(page, comparison.vectors("float32", p, 2 * p + 1))
            yield Trial(p, partial(on_numbers, page, target, xs, "dtypes", idle=1))


def in_small_blocks(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials with blocks so small that a vector has several, where code goes through it block by block."""
    own, *others = [load(page.module, **params) for params in variants(page)]
    for p, one in [*((p, own) for p in ranks if 1 < p <= FEW), *((2, other) for other in others if max(ranks) > 1)]:
        rng = np.random.default_rng(p)
        xs = [rng.standard_normal((2, SEVERAL * BLOCK)).astype(DTYPES[0]) for _ in range(p)]
        if page.stateful:
            flaws = partial(running.on_calls, one, target, Example(xs, "long vectors", {"k": KEPT}))
            yield Trial(p, partial(with_small_blocks, flaws))
        elif not page.sparse:
            flaws = partial(on_numbers, one, target, [x[0] for x in xs], "long vectors")
            yield Trial(p, partial(with_small_blocks, flaws))


def with_small_blocks(flaws: Callable[[Fault], Iterable[Flaw]], fault: Fault) -> Iterable[Flaw]:
    """Return the flaws found then."""
    return flaws(lambda call: fault(small_blocks(call)))


def small_blocks(call: Call) -> Call:
    """Make each rank's own modules use small blocks in the call; modules of a message's form stay as they are."""

    def called(function: Any, comm: Any, *args: Any) -> Any:
        for name, module in sys.modules.items():
            if name.startswith("sparring.impl.") and name not in OF_MESSAGES and hasattr(module, "BLOCK"):
                setattr(module, "BLOCK", BLOCK)  # noqa: B010  # a module's names are no attributes that a checker knows
        return call(function, comm, *args)

    return called


def long(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials of long vectors on two ranks, with parameters for these; two calls where entries are selected."""
    if max(ranks) < 2:
        return
    rng = np.random.default_rng(LONG)
    runs: Sequence[Mapping[str, Any]] = getattr(companion(page), "long", ({},))
    for one in (load(page.module, **{**page.params, **params}) for params in runs):
        if page.stateful:
            rows = [rng.standard_normal((1 + page.selecting, LONG)).astype(DTYPES[0]) for _ in range(2)]
            xs = [misleading(x) if page.selecting else x for x in rows]
            yield Trial(2, partial(running.on_calls, one, target, Example(xs, "long vectors", {"k": KEPT})))
        elif page.sparse:
            yield Trial(2, partial(on_numbers, one, target, [*far_apart(rng)], "long vectors"))
        else:
            xs = [rng.standard_normal(LONG).astype(DTYPES[0]) for _ in range(2)]
            yield Trial(2, partial(on_numbers, one, target, xs, "long vectors"))


def misleading(rows: NDArray[Any]) -> NDArray[Any]:
    """Make the largest entries of the second vector few, and such that a sample of every so manyth finds them all."""
    rows[1, ::SPACED] *= LONG
    return rows


def far_apart(rng: np.random.Generator) -> Iterator[Sparse]:
    """Yield vectors of a few entries, so long that their positions in a chunk need tables."""
    for _ in range(2):
        at = np.cumsum(rng.integers(1, APART, ENTRIES))
        yield Sparse(at.astype(np.int64), rng.standard_normal(at.size).astype(np.float32), ENTRIES * APART)


def refused(page: Page, target: str, p: int, fault: Fault) -> Iterator[Flaw]:
    """Yield the flaws of refusals, all of one property."""
    return (flaw._replace(property="bad input") for flaw in refusals(page, target, p, fault))


def own_receives(page: Page, target: str, ranks: Sequence[int]) -> Iterator[Trial]:
    """Yield trials in which the caller waits for messages of its own meanwhile, with any tag."""
    plain = function(page, target)
    for p in ranks:
        if 1 < p <= FEW:
            xs = sparse_lists.page_inputs(page, comparison.vectors(page.dtypes[0], p, 2 * p + 1))
            yield Trial(p, partial(on_numbers, page, plain, xs, "hygiene", call=listening, read=False))


def listening(target: Any, comm: Any, x: Any, **given: Any) -> Any:
    """Call the target while a receive from the rank before stands open, whose message is sent after the call."""
    from mpi4py import MPI  # the simulated one, which is there during a run alone

    p, r, heard = comm.Get_size(), comm.Get_rank(), np.full(1, -1.0)
    request = comm.Irecv(heard, (r - 1) % p, MPI.ANY_TAG)
    y = called(target, comm, x, **given)
    comm.Send(np.full(1, float(r)), (r + 1) % p)
    request.Wait()
    if heard[0] != (r - 1) % p:
        raise RuntimeError(f"the caller's own receive got {heard[0]}, a message of the call")
    return y


def on_numbers(
    page: Page, target: str, xs: Sequence[Any], prop: str, fault: Fault = unharmed, *, call: Call = called,
    read: bool = True, idle: int = 0,
) -> list[Flaw]:  # fmt: skip
    """Run one call with the page's parameters on these vectors, and return its flaws."""
    given = partial(call, **options(page, target))
    found = running.on_numbers(page, target, xs, prop, fault(given), idle=idle)
    return found if read else [flaw for flaw in found if flaw.property != running.STEPS]
