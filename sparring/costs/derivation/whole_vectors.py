"""Derives the cost of a page that sends whole vectors: messages are counted, each of ``n`` words.

Likewise where it sends blocks of equal chunks, or of lists of ``k`` entries each, or equal parts of ``k``
entries, of which all ranks send as many in a step: see ``chunks_in_spans``.

The conditions ``t < X`` of its formulas cut the steps into spans.  Within a span a rank either
sends in every step or in none, or it sends once at most, and then no more than the largest message; and so it is
with adding.  So what a rank does in all is a sum over spans.  The most that one rank does is such a sum, too: it
is found by trying, and both solvers confirm that no rank exceeds it and that one reaches it.  Where one rank sends
in all steps, and no other one more in any, nothing else need be known of the others; nor where the rank that sends the
most changes from step to step, and each sends once.  V_path is V_crit if a path
of messages goes through all steps; ranks through which it goes are found likewise.

Where blocks grow in another way because some ranks fold, or since bits pick the chunks, all this is done for powers
of two alone.

*Trees*: messages of one length are added on their way to rank 0, then shown to all.  As many steps add as
show.  A rank that is ``spent`` has sent once and not been shown the result; every other has sent nothing as
long as steps add, and afterwards at most once in each step.  So no rank sends more messages than there are
steps on one way; and rank 0 gets one in each of the first half of the steps and sends one in each of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations, pairwise, product, starmap

import sympy

from sparring.costs.derivation import step_ranges
from sparring.costs.derivation.chunks_in_spans import Bulk, bulk
from sparring.costs.derivation.confirmation import always_so, confirmed, plausible
from sparring.costs.derivation.leaders import SOME_RANKS, Does, Leader, a_rank, adds, leaders, passes, sends
from sparring.costs.derivation.step_ranges import Derivation, StepsReader
from sparring.costs.formulas import symbols
from sparring.costs.formulas.hypotheses import POWER
from sparring.costs.formulas.symbols import Expr, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import (
    Obligation,
    always,
    c,
    during,
    every,
    iff,
    implies,
    letter,
    n,
    p,
    r,
    some,
    t,
    u,
)
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements import formulas
from sparring.spec.core.model import Page, chunk_words
from sparring.spec.core.numbers import Bool, Int, Sym, both, evaluate, negate, variables, where
from sparring.spec.recursive_doubling import rem

EQUAL, SHARED = "p | n", "p | k"
"""The hypotheses under which p chunks are equal, and have equal parts of ``k``."""

k = Sym.var("k")

SILENT = "words of one rank: which ranks are silent when is not written as a formula; only their most is"
GAPS = {
    POWER: "other p: then some ranks fold, or messages are no equal shares; they are counted, not derived",
    EQUAL: "n that p does not divide: then chunks differ by one, and messages too; they are counted, not derived",
    SHARED: "k that p does not divide: then the parts of k differ by one, and messages too; they are counted",
}
BROKEN = "V_path: no rank was found that a path goes through in all steps; it is counted, not derived"


def derive_whole(page: Page) -> Derivation:
    """Return the closed forms, for powers of two if not for all p; raise Undecided where something is not shown."""
    try:
        return formed(page)
    except Undecided:
        if page.carries or (page.blocks and page.active(r, t, p) is not True):
            with suppress(Undecided):
                return formed(page, rem(p) == 0, POWER)
        raise


def formed(page: Page, given: Bool = True, under: str = "") -> Derivation:
    """Return the closed forms where ``given`` holds, which ``under`` says in words."""
    blocks = bool(page.cuts or page.blocks)
    if not blocks:
        whole_vector = SympyReader()(page.words(r, t, 0, p, n, k))
        if not whole_vector.equals(symbols.n):
            raise Undecided(f"a message has {whole_vector} words, not n")
    if page.data == "selected":
        parts_of_k(page)
    leader, shown = leading(page)
    spans = pairwise([0, *cuts(page), page.steps(p)])
    bulks, sizes = zip(*(bulk(page, first, end, given, leader) for first, end in spans))
    read = StepsReader()
    steps = sympy.expand(read(page.steps(p)))
    steady = [done(page, one, lambda _, i: page.adds(i, p), "adding", given)[1] for one in bulks]
    shown = [*sizes, *shown, *steady, *formulas.counted(page)]

    def most_of(act: Does, what: str) -> tuple[Sequence[Bulk], Sequence[Bulk]]:
        """Return the spans of the rank that does it the most, in chunks, and that does it most often, in messages."""
        parts, ways = zip(*(done(page, one, act, what, given) for one in bulks))
        chosen, why = most(page, parts, act, given)
        often, also = most(page, [one.counted for one in parts], act, given) if blocks else (chosen, ())
        shown.extend([*ways, *why, *also])
        return chosen, often

    added, _ = most_of(adds(page), "who adds")
    if leader(t) is r:
        sent, often = most_of(sends(page), "who sends")
    else:  # the only one; or who leads in the step with the largest message, as each rank sends once
        sent = [one.single for one in bulks] if "t" in variables(leader(t)) else bulks
        often = [one.counted for one in sent]
    unbroken = path(page, given)
    claims, below = confirmed(page, [*shown, *(unbroken or somebody(page, leader, given))])
    adding = [one for one in bulks if always_so(page, implies(one.first < one.end, page.adds(one.first, p)), given)]

    def words(chunks: Iterable[Bulk]) -> Expr:
        total = sum((read(one.product) for one in chunks), sympy.Integer(0))
        if page.data == "lists":
            return sympy.expand(2 * symbols.k * total)
        shared = symbols.k if page.data == "selected" else symbols.n
        return sympy.expand(sympy.expand(shared * total) / read(page.chunks(p)))

    each = 2 if page.data == "selected" else 1  # a word for a value, and one for its index
    largest, critical, alike = each * words(sent), each * words(bulks), page.active(r, t, p) is True
    holds = ", ".join(filter(None, [under, equal_chunks(page)]))
    counted = [GAPS[one] for one in holds.split(", ") if one in GAPS]
    gaps = (*([] if alike else [SILENT]), *counted, *([] if unbroken else [BROKEN]))
    return Derivation(
        steps=steps, messages=steps, sent=largest if alike else None, words=largest,
        path=critical if unbroken else None, critical=critical, added=words(added),
        added_critical=words(adding), gaps=gaps, confirmed=len(claims), given=holds, below=below,
        most=None if alike else sympy.expand(sum((read(one.product) for one in often), sympy.Integer(0))),
    )  # fmt: skip


def equal_chunks(page: Page) -> str:
    """Return the hypothesis under which all chunks, or all parts of ``k``, are equal; "" where they always are."""
    if page.data == "selected":
        return SHARED
    if not page.cuts:
        return ""
    return EQUAL if page.chunks(p) is p else "2^floor(log2 p) | n"


def parts_of_k(page: Page) -> None:
    """Raise Undecided unless messages have the chunks' parts of ``k`` entries, whose values may be added."""
    parts = chunk_words(c, p, k, page.count(r, t, p))
    for words, wanted in ((page.words, 2 * parts), (page.added, parts)):
        if repr(said := words(r, t, c, p, n, k)) != repr(wanted):
            raise Undecided(f"what a message has is written as {said!r}, not as {wanted!r}")


def cuts(page: Page) -> list[Int]:
    """Return the ends of all spans but the last, in which who sends, and whether steps add, does not change."""
    return step_ranges.cuts(page, [page.active(r, t, p, *letter(page)), page.adds(t, p)])


def leading(page: Page) -> tuple[Leader, Sequence[Obligation]]:
    """Return who sends the most chunks in each step, with what shows it: any rank ``r`` where nobody is found.

    One rank leads in all steps, or each sends in one step alone.  A leader is looked for where nothing is added,
    and some ranks are silent.
    """
    step, every_step = during(page), not cuts(page)
    stepping = Obligation("a step where there are two ranks", always(page), implies(p > 1, page.steps(p) >= 1))
    for leader in leaders(page) if page.adds(t, p) is False and page.active(r, t, p) is not True else ():
        count, steady = page.count(leader(t), t, p), "t" not in variables(leader(t))
        twice = every(t < u, *(page.active(r, at, p) for at in (t, u)))
        claims = [
            a_rank(page, leader),
            Obligation("the leader sends in each step", step, page.active(leader(t), t, p)),
            Obligation("no rank sends more", step, implies(page.active(r, t, p), page.count(r, t, p) <= count)),
            *([] if steady else [Obligation("each rank sends once", during(page, t, u), negate(twice)), stepping]),
        ]
        if (steady or every_step) and all(map(plausible, claims)):
            return leader, claims
    return lambda _: r, ()


def somebody(page: Page, leader: Leader, given: Bool) -> Sequence[Obligation]:
    """Return the obligation that in each step one of some ranks sends; none where one leads."""
    sends = some(*(page.active(x, t, p) for x in SOME_RANKS))
    return [Obligation("somebody sends", during(page), implies(given, sends))] if leader(t) is r else []


def done(page: Page, span: Bulk, act: Does, what: str, given: Bool) -> tuple[Bulk, Obligation]:
    """Return what a rank does in a span, and the obligation that it acts in all its steps or in none; or once at most.

    What is done once at most is as much as the largest message.
    """
    inside, after = every(given, span.first <= t, t + 1 < span.end), where(t + 1 < span.end, t + 1, t)
    steady = Obligation(f"{what} is steady", during(page), implies(inside, iff(act(r, t), act(r, after))))
    nonempty = span.first < span.end
    twice = every(given, span.first <= t, t < u, u < span.end, act(r, t), act(r, u))
    once = Obligation(f"{what} does so once", during(page, t, u), both(negate(twice), implies(given, nonempty)))
    if span.largest and not plausible(steady) and plausible(once):
        return span.single, once
    return span, steady


def most(
    page: Page, parts: Sequence[Bulk], act: Does, given: Bool = True
) -> tuple[Sequence[Bulk], Sequence[Obligation]]:
    """Return the spans in which the rank that acts the most acts, and the obligations that show it."""

    def times(x: Int, one: Bulk) -> Int:
        return where(act(x, one.first), one.chunks, 0)

    at_most = sum((one.chunks if one.once else times(r, one) for one in parts), 0)
    two = (*always(page), p > 1)
    for many in range(len(parts), -1, -1):
        for chosen in combinations(parts, many):
            best = sum((one.chunks for one in chosen), 0)
            reached = some(*(sum((times(x, one) for one in parts), 0) == best for x in SOME_RANKS))
            nothing = evaluate(both(page.steps(p) == 0, best == 0), p=1)
            claims = [
                Obligation("no rank does it oftener", two, implies(given, at_most <= best)),
                Obligation("some rank does it so often", two, implies(given, reached)),
            ]
            if nothing and all(map(plausible, claims)):
                return chosen, claims
    raise Undecided("no sum of spans is the most that one rank does")


def path(page: Page, given: Bool = True) -> Sequence[Obligation]:
    """Return the obligations that a path goes through messages of all steps; nothing where no such path is found."""

    def handed_over(end: Int, x: Int, y: Int) -> Leader:
        return lambda step: where(step < end, x, y)

    for leader in [*leaders(page), *starmap(handed_over, product(cuts(page), SOME_RANKS, SOME_RANKS))]:
        goes = Obligation("the leader sends", during(page), implies(given, page.active(leader(t), t, p)))
        followed = passes(page, leader)
        claims = [a_rank(page, leader), goes, followed._replace(claim=implies(given, followed.claim))]
        if all(map(plausible, claims)):
            return claims
    return ()


# -- trees


IN_TREE = (
    "words of one rank: how many steps a rank is in the tree is not written as a formula; only their most is",
    "V_path: where p is no power of two, it is less than V_crit; it is counted, not derived",
)


def tree(page: Page) -> Derivation:
    """Return the closed forms; raise Undecided where the page is no such tree, or a solver does not confirm it."""
    first = next(iter(cuts(page)), page.steps(p))
    words, added = (SympyReader()(of(r, t, 0, p, n, k)) for of in (page.words, page.added))
    if words.has(*map(SympyReader(), (r, t))):
        raise Undecided(f"a message has {words} words, which depends on who sends it when")
    claims, below = confirmed(page, [*shape(page, first)])
    levels = sympy.expand(StepsReader()(first))  # the steps of one way
    words, added = sympy.expand(levels * words), sympy.expand(levels * added)  # the most of one rank
    return Derivation(
        steps=2 * levels, messages=2 * levels, words=words, critical=2 * words, added=added, added_critical=added,
        gaps=IN_TREE, confirmed=len(claims), below=below, most=levels,
    )  # fmt: skip


def shape(page: Page, levels: Int) -> Iterator[Obligation]:
    """Yield the obligations that make the page a tree with ``levels`` steps on one way."""
    spent, step = subject(page).spent, during(page)
    if spent is None:
        raise Undecided("which ranks have nothing left is not stated: spent(r, c, t, p)")

    def sent(at: Int) -> Int:
        """Return an upper bound on the messages that rank ``r`` has sent before step ``at``."""
        return where(spent(r, 0, at, p), 1, where(at <= levels, 0, at - levels))

    def sends(rank: Int) -> Int:
        return where(page.active(rank, t, p), 1, 0)

    yield Obligation("there and back", always(page), page.steps(p) == 2 * levels)
    yield Obligation("half of the steps add", step, iff(page.adds(t, p), t < levels))
    yield Obligation("none sent before", always(page), sent(0) >= 0)
    yield Obligation("messages sent", step, sent(t + 1) >= sent(t) + sends(r))
    yield Obligation("no rank sends more", always(page), sent(page.steps(p)) <= levels)
    yield Obligation("the root is sent to", step, implies(t < levels, page.active(page.src(0, t, p), t, p)))
    yield Obligation("and sends", step, implies(negate(t < levels), page.active(0, t, p)))
