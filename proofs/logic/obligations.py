"""What an obligation is, and the letters, conditions and hypotheses that obligations are written with.

Every obligation is closed under its hypotheses: variables range over all ranks, chunks and
steps, so that unsatisfiability of its negation means "for every p".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both, either, negate, variables, where

p, q, r, s, c, t, u, n, i, j, v = (Sym.var(name) for name in "pqrsctunijv")

Same = Callable[[Int, Int, Int, Int, Int], Bool]
"""``same(r, s, c, t, p)``: after ``t`` steps ranks ``r`` and ``s`` hold the identical term in chunk ``c``."""

Contributor = Callable[[Int, Int, Int, Int], Int]
"""``contributor(r, c, t, p)``: a rank whose contribution the chunk ``c`` brings that rank ``r`` sends in step ``t``."""

Spent = Callable[[Int, Int, Int, Int], Bool]
"""``spent(r, c, t, p)``: after ``t`` steps rank ``r`` has given its copy of chunk ``c`` away to be added."""


class Stepwise(NamedTuple):
    """A lemma that follows from steps; each may rest on those before it, and none helps anything else."""

    lemma: Bool
    steps: Sequence[Bool]
    given: int | None = None
    """So many of the lemmas before it help, the first; by default all."""


Lemmas = Callable[[Int, Int, Int], Sequence[Bool | Stepwise]]
"""``lemmas(r, t, p)``: truths about every rank in every step; each may rest on those before it."""

Bound = Callable[[Int, Int, Int], Int]
"""``bound(c, n, p)``: where chunk ``c`` of ``n`` entries begins."""


class Obligation(NamedTuple):
    """``claim`` is to follow from ``hypotheses``.

    ``annotation``: the claim speaks of what the page *says* of itself (``holds``, ``same``), so a
    counterexample may mean that the annotation is wrong and not the algorithm.
    """

    name: str
    hypotheses: tuple[Bool, ...]
    claim: Bool
    annotation: bool = False
    encoding: str = ""
    """The encoding in which the obligation is read, where it is not that of the page's formulas."""


def note(name: str, hypotheses: tuple[Bool, ...], claim: Bool) -> Obligation:
    """Return an obligation about the page's annotations."""
    return Obligation(name, hypotheses, claim, annotation=True)


def within(x: Int, top: Int = p) -> Bool:
    """Return the condition ``0 <= x < top``."""
    return both(x >= 0, x < top)


def implies(a: Bool, b: Bool) -> Bool:
    return either(negate(a), b)


def iff(a: Bool, b: Bool) -> Bool:
    return where(a, b, negate(b))


def every(*claims: Bool) -> Bool:
    return reduce(both, claims)


def some(*claims: Bool) -> Bool:
    return reduce(either, claims)


RANKS: tuple[Bool, ...] = (p >= 1, within(q), within(r), within(s))
"""At least one rank; q, r, s are ranks."""

ROUND = (*RANKS, within(c))
"""At least one rank; q, r, s are ranks and c is one of p chunks."""


def always(page: Page) -> tuple[Bool, ...]:
    """Return the hypotheses that there is a rank, that q, r, s are ranks and that c is a chunk of the page."""
    return (*RANKS, within(c, page.chunks(p)))


def during(page: Page, *steps: Sym) -> tuple[Bool, ...]:
    """Return the hypotheses of ``always``, and that each of ``steps`` (by default ``t``) is a step of the page."""
    return (*always(page), *(within(x, page.steps(p)) for x in steps or (t,)))


def letter(page: Page, name: Int = j) -> tuple[Int, ...]:
    """Return the letter ``name`` by which formulas are asked for a message; empty where a rank sends only one."""
    return (name,) if page.several else ()


def letters(page: Page, *names: Sym, step: Sym = t) -> tuple[Bool, ...]:
    """Return the hypotheses that each of ``names`` (by default ``j``) is a message of ``step``.

    Nothing is said where a rank sends only one message.
    """
    return tuple(within(x, page.messages(step, p)) for x in names or (j,)) if page.several else ()


LEMMA = "lemma "


def with_lemmas(page: Page, lemmas: Lemmas | None, claims: Iterable[Obligation]) -> Iterator[Obligation]:
    """Yield the lemmas' obligations, then ``claims`` with the lemmas that help them as further hypotheses.

    A lemma that speaks of ``c`` or ``q`` helps only claims that do; as a hypothesis of others it would cost time.
    It is proved of all ranks, chunks and steps of the page, and of nothing else a claim may suppose it.
    """
    lemmas = lemmas or (lambda r, t, p: ())
    shown, step = tuple(lemmas(r, t, p)), during(page)
    at_r, at_s = (tuple(stepwise(one).lemma for one in some) for some in (shown, lemmas(s, t, p)))
    given = [(claim, known(claim, at_r, at_s)) for claim in claims]
    helped = {id(lemma) for _, helping in given for lemma in helping}
    needed = max((i + 1 for i, lemma in enumerate(at_r) if id(lemma) in helped), default=0)
    for i, lemma in enumerate(at_r[:needed]):
        one = stepwise(shown[i])
        premises = (*step, *at_r[:i][: one.given])
        for k, said in enumerate(one.steps):
            yield note(f"{LEMMA}{i + 1}, step {k + 1}", (*premises, *one.steps[:k]), said)
        yield note(f"{LEMMA}{i + 1}", (*premises, *one.steps), lemma)
    for claim, helping in given:
        supposed = {*map(repr, claim.hypotheses)}
        unsaid = [h for h in step if repr(h) not in supposed] if helping else []
        yield claim._replace(hypotheses=(*claim.hypotheses, *(guarded(lemma, unsaid) for lemma in helping)))


def stepwise(lemma: Bool | Stepwise) -> Stepwise:
    """Return a lemma with its steps, of which it may have none."""
    return lemma if isinstance(lemma, Stepwise) else Stepwise(lemma, ())


def guarded(lemma: Bool, unsaid: Sequence[Bool]) -> Bool:
    """Return the lemma under those of the conditions that are about its letters."""
    letters = variables(lemma) | {"p"}
    conditions = [h for h in unsaid if variables(h) & {*"qrsct"} <= letters]
    return implies(every(*conditions), lemma) if conditions else lemma


def known(claim: Obligation, at_r: Sequence[Bool], at_s: Sequence[Bool]) -> tuple[Bool, ...]:
    """Return the lemmas that help this claim."""
    spoken = variables(claim.claim)
    if claim.encoding or not any("t" in variables(h) for h in claim.hypotheses):
        return ()
    return tuple(x for x in (*at_r, *(at_s if "s" in spoken else ())) if variables(x) & {"c", "q"} <= spoken)
