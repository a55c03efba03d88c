"""Decides which rows ARC-Top-K's ranks keep: the same where they have the same bits, others where they add otherwise.

The order of rows is total, and so is the choice of ``k`` of them.  Sums of floats are another matter: of
the same numbers, added in two orders, the sums differ in a bit, and so may the rows.  Then ranks add up rows
that are not the same, and none of them can tell: no index is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any

from sparring.analysis.compression.reals import shown
from sparring.errors import Undecided
from sparring.proofs import arc_top_k as theorems
from sparring.proofs.functions import matrices as proved
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import arc_top_k, ring
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import Int, Sym, where
from sparring.spec.core.runner import Message, run
from sparring.spec.library import matrices

OURS = " on the page's own functions"
BIG = 2.0**53
"""From here on a double has no odd numbers."""
ROWS = ((BIG, 0.0, 0.0), (BIG, 1.0, 1.0))
"""By row, the entry of each of three ranks: what the second has more is gone if 1 and 1 are added one by one."""


def same_rows() -> Settled:
    """Decide whether equal sums of sketches make all ranks keep the same rows, each with its own place in the sum."""
    return shown([*proved.order(), *proved.places()], OURS)


def single_node() -> Settled:
    """Decide whether the sum of all ranks' memories evolves like one rank's alone, with each of the three rules."""
    return shown(
        [*proved.halves(), *theorems.sketches(arc_top_k), *single(arc_top_k), *theorems.rules(arc_top_k)], OURS
    )


def single(m: Any) -> Iterator[Obligation]:
    """Yield the obligations that each rule adds up over ranks: for inputs ``x`` and ``y``, memories ``e`` and ``f``."""
    e, f, w, x, y = (Sym.var(name) for name in "efwxy")
    sent = theorems.SENT
    none: Int = 0
    sums = where(sent, none, x) + where(sent, none, y)
    yield Obligation("what waits adds up", proved.ANY, where(sent, none, x + y) == sums)
    sums = m.nearer(sent, e, x) + m.nearer(sent, f, y)
    yield Obligation("estimates add up", proved.ANY, m.nearer(sent, e + f, x + y) == sums)
    sums = m.mixed(e, x, w) + m.mixed(f, y, w)
    yield Obligation("means add up", proved.ANY, m.mixed(e + f, x + y, w) == sums)


def values_alone() -> Settled:
    """Decide by counting whether ranks send two sums of whole vectors, without an index, in runs of the page."""
    done = 0
    for p in range(1, 7):
        for n in (0, 1, 4 * p, 4 * p + 1, 40):
            page, xs = load(arc_top_k, columns=4, sketch=3, k=2), [[*range(r, r + n)] for r in range(p)]
            m, sent = matrices.rows(n, 4), run(page, xs).trace
            dense = [run(load(ring), [[0] * size] * p).trace for size in (3 * m, 4 * min(2, m))]
            if lengths(sent) != lengths([wire for trace in dense for wire in trace]):
                return Settled(False, f"at p={p}, n={n} messages are not as long as those of two dense sums")
            done += 1
    return Settled(True, f"messages of two dense sums, counted in {done} runs, p = 1..6", tested(done))


def lengths(trace: Sequence[Sequence[Message]]) -> list[list[tuple[int, int, int]]]:
    """Return the source, the destination and the words of each message, by step."""
    return [[(m.src, m.dst, len(m.entries)) for m in wire] for wire in trace]


def differently() -> Settled:
    """Decide whether ranks that add the same sketches in two orders keep the same rows; the detail tells which differ.

    Raises Undecided if no such rows are found.
    """
    for seed in range(64):
        z = matrices.normal(seed, 0, 0, 1)[0]
        near = [[z * x for x in row] for row in ROWS]
        kept = [
            matrices.first([reduce(add, order) ** 2 for order in orders], 1)
            for orders in (near, [row[::-1] for row in near])
        ]
        if kept[0] != kept[1]:
            told = f"rows of {', '.join(str([*map(int, row)]) for row in ROWS)} on three ranks, seed {seed}"
            (ours,), (theirs,) = kept
            return Settled(False, f"{told}: added from rank 0 on, row {ours} is kept; from rank 2 on, row {theirs}")
    raise Undecided("no two orders were found to differ")
