"""What a page costs that sends whole vectors: its messages are counted, each of ``n`` words.

The conditions ``t < X`` of its formulas cut the steps into spans.  Within a span a rank either
sends in every step or in none, and so it is with adding; so what a rank does in all is a sum of
lengths of spans.  The most that one rank does is such a sum, too: it is found by trying, and
both solvers confirm that no rank exceeds it and that one reaches it.  V_path is V_crit if a path
of messages goes through all steps; a rank that all its messages leave or reach is found likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

import sympy

from sparring.errors import Undecided
from sparring.proofs.core import obligations
from sparring.proofs.core.obligations import Obligation, always, during, every, iff, implies, p, r, some, t
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import subject
from sparring.proofs.cost import symbols
from sparring.proofs.cost.symbols import CeilLog2, Expr, FloorLog2, SympyReader
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Reader, Sym, both, either, where

SOME_RANKS: tuple[Int, ...] = (0, p - 1, where(p > 1, 1, 0))
"""Of these one is shown to do what some rank does."""

Act = Callable[[Int, Int], Bool]
"""``act(r, t)``: whether rank ``r`` does it in step ``t``."""


class Whole(NamedTuple):
    """Closed forms, and the obligations from which they follow."""

    steps: Expr
    largest: Expr
    path: Expr | None
    critical: Expr
    added_most: Expr
    added_critical: Expr
    claims: tuple[Obligation, ...]


class LogReader(SympyReader):
    """Reads a number made of ``p`` and its binary logarithm."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "bit_length" and args == [symbols.p]:
            return FloorLog2(symbols.p) + 1
        if x.op == "<<":
            return args[0] * 2 ** args[1]
        if x.op == "where" and args[0] == sympy.Lt(0, symbols.p - 2 ** FloorLog2(symbols.p)):
            rounded_up = CeilLog2(symbols.p) - FloorLog2(symbols.p)  # 1 where p is no power of two, else 0
            return args[2] + (args[1] - args[2]) * rounded_up
        if x.op not in ("+", "-", "*", "<"):
            raise Undecided(f"{x!r} has no closed form")
        return super().operator(x, args)


class Cuts(Reader[dict[str, Int]]):
    """Reads a term as the ``X`` of its conditions ``t < X`` and ``X <= t``, by how they are spelt."""

    def constant(self, x: int | bool) -> dict[str, Int]:
        return {}

    def variable(self, name: str) -> dict[str, Int]:
        return {}

    def operator(self, x: Node, args: list[dict[str, Int]]) -> dict[str, Int]:
        own = {"<": x.args[1:] if x.args[0] is t else (), "<=": x.args[:1] if x.args[-1] is t else ()}.get(x.op, ())
        return {spelt: end for found in [*args, {repr(end): end for end in own}] for spelt, end in found.items()}


def whole(page: Page) -> Whole:
    """The closed forms; raises Undecided where something could not be shown."""
    if not (subject_words := SympyReader()(page.words(r, t, 0, p, obligations.n, Sym.var("k")))).equals(symbols.n):
        raise Undecided(f"a message has {subject_words} words, not n")
    read = LogReader()
    edges: list[Int] = [0, *cuts(page), page.steps(p)]
    shown = [
        *steady(page, edges),
        Obligation("somebody sends", during(page), some(*(page.active(x, t, p) for x in SOME_RANKS))),
    ]
    sent, added = (most(page, edges, act) for act in (sends(page), adds(page)))
    unbroken = path(page)
    claims = (*confirmed(page, shown), *sent[1], *added[1], *unbroken)
    steps = sympy.expand(read(edges[-1]))
    lengths = [(end - first, page.adds(first, p)) for first, end in pairwise(edges)]
    adding = [length for length, does in lengths if always_so(page, implies(length > 0, does))]
    n = symbols.n
    return Whole(
        steps=steps,
        largest=sympy.expand(n * read(sent[0])),
        path=sympy.expand(n * steps) if unbroken else None,
        critical=sympy.expand(n * steps),
        added_most=sympy.expand(n * read(added[0])),
        added_critical=sympy.expand(n * sum(map(read, adding))),
        claims=claims,
    )


def cuts(page: Page) -> list[Int]:
    """Where the spans end but the last, in their order."""
    found = list(Cuts()(both(page.active(r, t, p), page.adds(t, p))).values())
    for order in permutations(found):
        if always_so(page, every(*(a <= b for a, b in pairwise([0, *order, page.steps(p)])))):
            return list(order)
    raise Undecided("the order of the steps at which ranks begin or cease to send depends on p")


def sends(page: Page) -> Act:
    return lambda x, step: page.active(x, step, p)


def adds(page: Page) -> Act:
    """A rank adds what its source sends."""
    return lambda x, step: both(page.adds(step, p), page.active(page.src(x, step, p), step, p))


def steady(page: Page, edges: Sequence[Int]) -> Iterator[Obligation]:
    """From one step of a span to the next nothing changes."""
    for act, what in ((sends(page), "who sends"), (adds(page), "who adds"), (lambda x, i: page.adds(i, p), "adding")):
        for first, end in pairwise(edges):
            inside = both(first <= t, t + 1 < end)
            yield Obligation(f"{what} is steady", during(page), implies(inside, iff(act(r, t), act(r, t + 1))))


def most(page: Page, edges: Sequence[Int], act: Act) -> tuple[Int, Sequence[Obligation]]:
    """In how many steps that rank acts that acts in the most, and what shows it."""
    spans = list(pairwise(edges))

    def times(x: Int) -> Int:
        return sum((where(act(x, first), end - first, 0) for first, end in spans), 0)

    for k in range(len(spans), 0, -1):
        for chosen in combinations(spans, k):
            best = sum((end - first for first, end in chosen), 0)
            claims = [
                Obligation("no rank does it oftener", always(page), times(r) <= best),
                Obligation("some rank does it so often", always(page), some(*(times(x) == best for x in SOME_RANKS))),
            ]
            if all(plausible(page, claim) for claim in claims):
                return best, confirmed(page, claims)
    raise Undecided("no sum of spans is the most that one rank does")


def path(page: Page) -> Sequence[Obligation]:
    """What shows that a path of messages goes through all steps; nothing where no such path is found.

    In each step a rank's own message goes on with it; in the first, that which the rank receives may.
    """
    for x in SOME_RANKS:
        source = page.src(x, 0, p)
        received = every(t == 0, page.active(source, 0, p), page.dst(source, 0, p) == x)
        claim = Obligation("a path goes through all steps", during(page), either(page.active(x, t, p), received))
        if plausible(page, claim):
            return confirmed(page, [claim])
    return ()


def always_so(page: Page, claim: Bool) -> bool:
    """Whether z3 finds that ``claim``, in which there is no step, holds for every p."""
    return plausible(page, Obligation("tried", always(page), claim))


def plausible(page: Page, claim: Obligation) -> bool:
    """Whether z3 finds that it holds for every p; what counts is confirmed by both solvers."""
    return all(answer.holds for answer in answered([claim], False, page.encoding))


def confirmed(page: Page, claims: Sequence[Obligation]) -> Sequence[Obligation]:
    """``claims``, which both solvers confirm; raises Undecided at the first that they do not."""
    helped = tuple(obligations.with_lemmas(page, subject(page).lemmas, claims))
    for answer in answered(helped, second_opinion=True, encoding=page.encoding):
        if not answer.holds:
            raise Undecided(f"{answer.obligation.name}: {answer.problem or answer.witness}")
    return helped
