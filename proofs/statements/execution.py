"""Runs a page for small p and watches every step: the judge between *refuted* and *not inductive*.

Each rank's contribution is the integer ``2**(64 q)``, so that addition counts, digit by digit,
how often a cell contains ``q``'s contribution; nothing here knows how a schedule works.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sparring.errors import InputError, ScheduleFault
from sparring.proofs.logic.terms import Table, leaves, raw
from sparring.spec.core import runner
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends, truth

RANKS = range(1, 17)
DIGIT = 64  # bits a contribution: a schedule that doubles in each of 30 steps does not overflow


class Wrong(NamedTuple):
    """The place where a run is wrong."""

    p: int
    t: int | None
    why: str

    def __str__(self) -> str:
        return f"p={self.p}{'' if self.t is None else f' step {self.t}'}: {self.why}"


class Lie(NamedTuple):
    """A cell of which ``holds`` says what is not so, after ``t`` steps."""

    p: int
    t: int
    r: int
    c: int
    q: int
    says: bool

    def __str__(self) -> str:
        says = "says that it holds" if self.says else "denies that it holds"
        return f"at p={self.p} after {self.t} steps, of rank {self.r}'s chunk {self.c}, holds {says} x{self.q}"


Check = Callable[[Page, int], Wrong | None]


def first(check: Check, page: Page, ranks: Iterable[int] = RANKS) -> Wrong | None:
    """Return what ``check`` finds first as the number of ranks goes through ``ranks``."""
    for p in ranks:
        try:
            wrong = check(page, p)
        except ScheduleFault as fault:
            return Wrong(fault.p, fault.t, fault.why)
        except InputError:
            raise
        except (ArithmeticError, ValueError) as error:  # a division by zero, a shift by a negative number
            return Wrong(p, None, f"a formula has no value: {error}")
        if wrong:
            return wrong
    return None


def contributions(page: Page, p: int) -> list[list[int]]:
    """Return what every cell starts with, by rank and chunk."""
    one = [1 << DIGIT * q for q in range(p)]
    chunks = range(number(page.chunks(p)))
    return [[sum(one[q] for q in range(p) if truth(page.start(q, r, c, p))) for c in chunks] for r in range(p)]


def counts(cell: int, p: int) -> dict[int, int]:
    """Count how often each rank's contribution is in a cell."""
    digit = (1 << DIGIT) - 1
    return {q: k for q in range(p) if (k := cell >> DIGIT * q & digit)}


def wrong_result(page: Page, p: int) -> Wrong | None:
    """Find a cell that ends with something else than each contribution of its goal once."""
    run = runner.Run(page, contributions(page, p))
    for r, row in enumerate(run.results):
        for c, cell in enumerate(row):
            if not truth(page.wanted(r, c, p)):
                continue
            wanted = {q: 1 for q in range(p) if truth(page.goal(q, r, c, p))}
            if (found := counts(cell, p)) != wanted:
                return Wrong(p, None, f"rank {r}'s chunk {c} ends {difference(found, wanted)}")
    return None


def in_vain(page: Page, p: int) -> Wrong | None:
    """Find a message that leaves its receiver as it was."""
    before = contributions(page, p)
    for t, wire, states in runner.Run(page, before):
        for (src, dst, entries), (_, _, chunks) in zip(wire, step_sends(page, t, p)):
            if not chunks:
                return Wrong(p, t, f"rank {src} sends rank {dst} a message of no chunks")
            for c, cell in zip(chunks, entries):
                if not counts(cell, p).keys() - counts(before[dst][c], p).keys():
                    return Wrong(p, t, f"the message of rank {src} brings rank {dst} nothing new in chunk {c}")
        before = states
    return None


def disagreement(page: Page, p: int) -> Wrong | None:
    """Find two ranks that end with different terms: another order of addition, hence other bits."""
    table = Table(seed=p)
    xs: list[Any] = [leaves(table, [f"x{r}[{c}]" for c in range(number(page.chunks(p)))]) for r in range(p)]
    first, *others = [raw(x).tolist() for x in runner.Run(page, xs).results]
    for r, other in enumerate(others, start=1):
        for c, (a, b) in enumerate(zip(first, other)):
            if a != b:
                return Wrong(p, None, f"chunk {c}: rank 0 ends with {table.show(a)}, rank {r} with {table.show(b)}")
    return None


def mass_lost(page: Page, p: int) -> Wrong | None:
    """Find where the result and the residuals do not add up to the inputs, on some vectors of integers."""
    rng = random.Random(p)
    for n in (0, 1, p, 3 * p + 1, 300):  # 300: of so many entries the default k leaves some behind
        xs = [[rng.randrange(-99, 100) for _ in range(n)] for _ in range(p)]
        run = runner.run(page, xs)
        for r, y in enumerate(run.results):
            mass = sum(run.residuals, y)
            found = dict(zip(mass.indices, mass.values))
            for i in range(n):
                if (has := found.get(i, 0)) != (wanted := sum(x[i] for x in xs)):
                    return Wrong(p, None, f"entry {i}: rank {r}'s result and all residuals make {has}, not {wanted}")
    return None


def matched(page: Page, p: int) -> Wrong | None:
    """Find nothing but what the runner finds by itself: a fault of the schedule."""
    runner.Run(page, contributions(page, p)).results  # noqa: B018  # running is the check
    return None


def first_lie(page: Page, ranks: range = RANKS) -> Lie | None:
    """Find the first cell, by p and step, of which ``holds`` is wrong though the page vouches for it."""
    for p in ranks:
        start = contributions(page, p)
        states = [(0, start), *((t + 1, states) for t, _, states in runner.Run(page, start))]
        for t, rows in states:
            for r, row in enumerate(rows):
                for c, cell in enumerate(row):
                    if not truth(page.live(r, c, t, p)):
                        continue
                    for q in range(p):
                        if (says := truth(page.holds(q, r, c, t, p))) != (q in counts(cell, p)):
                            return Lie(p, t, r, c, q, says)
    return None


def difference(found: dict[int, int], wanted: dict[int, int]) -> str:
    """Tell how a cell's contributions differ from the wanted ones, in words.

    >>> difference({0: 2, 3: 1}, {0: 1, 1: 1})
    'with x0 2 times, without x1, with x3'
    """
    words = [
        f"without x{q}" if q not in found else f"with x{q}" + (f" {found[q]} times" if q in wanted else "")
        for q in sorted({*found, *wanted})
        if found.get(q) != wanted.get(q)
    ]
    return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
