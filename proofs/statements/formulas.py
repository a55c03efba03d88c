"""What has to be shown of a page's formulas, theorem by theorem.

The Coq theorems in ``proofs/coq`` say why these obligations are the theorem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sparring.proofs.logic.messages import came, placed, sends, sent, single
from sparring.proofs.logic.obligations import (
    RANKS,
    Bound,
    Contributor,
    Obligation,
    Same,
    Spent,
    always,
    c,
    during,
    every,
    i,
    iff,
    implies,
    j,
    letter,
    letters,
    n,
    note,
    p,
    q,
    r,
    s,
    some,
    t,
    v,
    within,
)
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, Node, both, either, negate, where


def schedule(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that the formulas make a schedule.

    Indices are in range, and who sends and who listens agree: ``dst`` and ``src`` undo each other on all ranks,
    so that ``src(r)`` sends to ``r`` or to nobody.
    """
    any_j, step = letter(page), (*during(page), *letters(page))
    src, dst = page.src(r, t, p, *any_j), page.dst(r, t, p, *any_j)
    yield from cut(page)
    yield Obligation("steps >= 0", always(page), page.steps(p) >= 0)
    if page.several:
        yield Obligation("messages >= 1", during(page), page.messages(t, p) >= 1)
    yield Obligation("dst in range", step, within(dst))
    yield Obligation("src in range", step, within(src))
    yield from counted(page)
    if not page.carries:
        yield Obligation("chunk in range", step, placed(page))
    yield Obligation("no message to oneself", step, implies(page.active(r, t, p, *any_j), negate(dst == r)))
    yield Obligation("dst(src(r)) = r", step, page.dst(src, t, p, *any_j) == r)
    yield Obligation("src(dst(r)) = r", step, page.src(dst, t, p, *any_j) == r)
    if page.several:
        named = page.who(src, r, page.chunk(src, t, p, j), t, p) == j
        yield note("one message from a rank", step, implies(page.active(src, t, p, j), named))
        both_sent = every(*(page.active(r, t, p, x) for x in (j, i)), page.dst(r, t, p, j) == page.dst(r, t, p, i))
        yield Obligation("one message to a rank", (*during(page), *letters(page, j, i)), implies(both_sent, j == i))
    yield from scheduled(page)


def cut(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that there are chunks, since of none everything is true; of lists, one from each rank.

    That there are p chunks, which is usual, or a constant number of them, says so itself.
    """
    chunks = page.chunks(p)
    claims = {"chunks >= 1": every(*conditions([chunks]), chunks >= 1)}
    if page.data == "lists" or page.kind in OF_RANKS:
        claims["a chunk for each rank"] = chunks == p
    unsaid = {} if chunks is p else {name: claim for name, claim in claims.items() if claim is not True}
    yield from (Obligation(name, RANKS, claim) for name, claim in unsaid.items())


OF_RANKS = ("reduce_scatter", "allgather")
"""The kinds in which each rank begins or ends with the chunk of its number."""


def counted(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that a message has as many chunks as ``below`` counts, if the page has ``below``."""
    if not page.below:
        return
    step, below = during(page), page.below
    yield Obligation("none below the first", step, below(r, 0, t, p) == 0)
    one_more = below(r, c, t, p) + where(sent(page, r), 1, 0)
    yield Obligation("counted one by one", step, below(r, c + 1, t, p) == one_more)


def result(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that every cell ends with exactly the contributions of its goal, each once."""
    yield from schedule(page)
    yield from valued(page)
    start, step, end = always(page), during(page), page.steps(p)
    holds, live, adds = page.holds, page.live, page.adds(t, p)
    got, sender = came(page, r, q)
    own, sent = holds(q, r, c, t, p), holds(q, sender, c, t, p)
    after = where(got, where(adds, either(own, sent), sent), own)
    made = where(got, both(live(sender, c, t, p), implies(adds, live(r, c, t, p))), live(r, c, t, p))
    lives = live(r, c, t + 1, p)
    yield note("base", start, implies(live(r, c, 0, p), iff(holds(q, r, c, 0, p), page.start(q, r, c, p))))
    yield note("live", step, implies(lives, made))
    yield note("step", step, implies(lives, iff(holds(q, r, c, t + 1, p), after)))
    yield note("disjoint", step, implies(every(lives, got, adds), negate(both(own, sent))))
    if page.several:
        yield from brought(page)
    reached = both(live(r, c, end, p), iff(holds(q, r, c, end, p), page.goal(q, r, c, p)))
    yield note("conclusion", start, implies(page.wanted(r, c, p), reached))
    yield Obligation("wanted somewhere", start, some(*(page.wanted(x, c, p) for x in (*near(c), 0))))


def valued(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that what a page says of its cells has values wherever it is asked; no run asks it."""
    before, after = ((page.holds(q, r, c, x, p), page.live(r, c, x, p)) for x in (t, page.steps(p)))
    said = (*having_values("holds", during(page), before), *having_values("holds in the end", always(page), after))
    yield from (note(one.name, one.hypotheses, one.claim) for one in said)


def scheduled(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that the formulas of a schedule have values wherever they are asked."""
    any_j = letter(page)
    asked = [f(r, t, p, *any_j) for f in (page.dst, page.src, page.active)]
    asked += [sends(page, r, *any_j), page.adds(t, p)]
    asked += [page.count(r, t, p)] if page.below or not page.carries else []
    yield from having_values("the number of steps", RANKS, [page.steps(p)])
    yield from having_values("the number of messages", during(page), [page.messages(t, p)])
    yield from having_values("the schedule", (*during(page), *letters(page)), asked)


def having_values(what: str, box: tuple[Bool, ...], terms: Iterable[Int | Bool]) -> Iterator[Obligation]:
    """Yield the obligation that these terms have values: none shifts by a negative number, say, as no run could."""
    if claims := conditions(terms):
        yield Obligation(f"shifts of {what}", box, every(*claims))


def conditions(terms: Iterable[Int | Bool]) -> list[Bool]:
    """Return when all operations in these terms have values; what a constant says of itself is left out."""
    found: dict[str, Bool] = {}
    todo: list[Node] = [x for x in terms if isinstance(x, Node)]
    seen = set[int]()
    while todo:
        x = todo.pop()
        if id(x) not in seen:
            seen.add(id(x))
            todo += [a for a in x.args if isinstance(a, Node)]
            found |= {repr(one): one for one in condition(x) if one is not True}
    return [*found.values()]


def condition(x: Node) -> Sequence[Bool]:
    """Return when an operation has a value, of any operands that have."""
    match x.op, x.args:
        case "<<" | ">>", (_, e):
            return (e >= 0,)
        case "%" | "//", (_, d):
            return () if d is p else (d >= 1,)
        case "power", (k, e):
            return k >= 2, e >= 0
        case "log", (a, k):
            return k >= 2, a >= 1
        case "prefix" | "digit" | "put", (_, e, *_, k):
            return k >= 2, e >= 0
    return ()


def brought(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that of several messages only the one ``who`` names brings a contribution.

    So what the other obligations say of that message holds for all: where a step adds, every other message
    brings nothing of ``q``'s; where it overwrites, there is no other message.
    """
    step, sender, adds = (*during(page), *letters(page)), page.src(r, t, p, j), page.adds(t, p)
    got, lives = sends(page, sender, j), page.live(r, c, t + 1, p)
    parts = both(page.live(sender, c, t, p), implies(adds, page.live(r, c, t, p)))
    brings = every(lives, got, either(negate(adds), page.holds(q, sender, c, t, p)))
    yield note("live, each message", step, implies(both(lives, got), parts))
    yield note("brought once", step, implies(brings, page.who(q, r, c, t, p) == j))


def agreement(page: Page, same: Same) -> Iterator[Obligation]:
    """Yield the obligations that any two ranks end with the identical term in every chunk.

    Identical terms have identical bits.

    The rule is congruence: two terms made in the same way from identical parts are identical;
    an addition may swap its two parts.
    """
    yield from schedule(page)

    def then(a: Int, b: Int) -> Bool:
        return same(a, b, c, t, p)

    adds, ((got_r, sr), (got_s, ss)) = page.adds(t, p), (came(page, x, x) for x in (r, s))
    added = either(both(then(r, s), then(sr, ss)), both(then(r, ss), then(sr, s)))
    rule = some(
        r == s,
        every(negate(got_r), negate(got_s), then(r, s)),
        every(negate(adds), got_r, got_s, then(sr, ss)),
        every(negate(adds), got_r, negate(got_s), then(sr, s)),
        every(negate(adds), got_s, negate(got_r), then(r, ss)),
        every(adds, got_r, got_s, added),
    )
    yield note("same base", always(page), implies(same(r, s, c, 0, p), r == s))
    if page.several:
        yield from sums(page, same)
        rule = either(page.adds(t, p), rule)
    yield note("same step", during(page), implies(same(r, s, c, t + 1, p), rule))
    yield note("same conclusion", always(page), same(r, s, c, page.steps(p), p))


def sums(page: Page, same: Same) -> Iterator[Obligation]:
    """Yield the obligations that two sums of several copies are identical if the copies are, one by one.

    Each sum adds its copies in the order of their ranks.

    A copy that goes into rank ``r``'s sum has a counterpart in rank ``s``'s: that which brings
    ``s`` the same contribution.  Counterparts are identical, and in the same order; as this is so
    both ways, there are as many of them.
    """
    step, then = during(page), same(r, s, c, t + 1, p)
    alike = every(page.adds(t, p), negate(r == s), then)
    other = counterpart(page, q, s)
    there, identical = part(page, other, s), same(q, other, c, t, p)
    ordered = counterpart(page, q, s) < counterpart(page, v, s)
    two = every(alike, part(page, q, r), part(page, v, r), q < v)
    got = sends(page, page.src(r, t, p, j), j)
    alone = implies(both(negate(page.adds(t, p)), got), page.who(q, r, c, t, p) == j)
    yield note("overwritten once", (*step, *letters(page)), alone)
    yield note("same both ways", step, implies(then, same(s, r, c, t + 1, p)))
    yield note("counterpart", step, implies(both(alike, part(page, q, r)), both(there, identical)))
    yield note("in the same order", (*step, within(v)), implies(two, ordered))


def part(page: Page, x: Int, rank: Int) -> Bool:
    """Return the condition that rank ``x``'s copy goes into the sum that ``rank`` makes in step ``t``."""
    got, sender = came(page, rank, x)
    return either(x == rank, both(got, sender == x))


def counterpart(page: Page, x: Int, rank: Int) -> Int:
    """Return the rank whose copy brings rank ``x``'s contribution to ``rank``'s sum in step ``t``.

    It may be ``rank`` itself.
    """
    return where(page.holds(x, rank, c, t, p), rank, came(page, rank, x)[1])


def conservation(page: Page, spent: Spent) -> Iterator[Obligation]:
    """Yield the obligations that every partial sum is added to at most one other.

    None that was added is then sent, added to or returned.  So what a rank leaves out of a chunk that it sends is
    missing in one place only: all that was left out, and the result, add up to the sum of all inputs, entry by entry.
    """
    yield from result(page)
    step, end = during(page), page.steps(p)
    adds, sender = page.adds(t, p), page.src(r, t, p)
    sent, got = sends(page, r), sends(page, sender)
    given = either(spent(r, c, t, p), both(sent, adds))
    after = both(given, either(adds, negate(got)))
    yield note("spent base", always(page), negate(spent(r, c, 0, p)))
    yield note("spent step", step, iff(spent(r, c, t + 1, p), after))
    yield note("sent once", step, implies(sent, negate(spent(r, c, t, p))))
    yield note("nothing added to what is spent", step, implies(both(got, adds), negate(given)))
    yield note("nothing spent is returned", always(page), implies(page.wanted(r, c, p), negate(spent(r, c, end, p))))


def economy(page: Page, contributor: Contributor | None = None) -> Iterator[Obligation]:
    """Yield the obligations that no message is in vain.

    Each message brings its receiver, in every chunk, a contribution that was not there.  To show that some rank
    ``q``'s contribution is new, one of a few candidates for ``q`` is named: ``contributor``'s, where it is stated.
    """

    def news(chunk: Int) -> Bool:
        """Return the condition that ``sender`` has a contribution to ``chunk`` that rank ``r`` lacks.

        The page vouches for both copies.
        """
        live = both(page.live(sender, chunk, t, p), page.live(r, chunk, t, p))
        stated = (contributor(sender, chunk, t, p),) if contributor else ()
        new = [
            every(live, page.holds(q, sender, chunk, t, p), negate(page.holds(q, r, chunk, t, p)))
            for q in (sender, r, *near(chunk), *stated)
        ]
        return some(*new)

    yield from schedule(page)
    any_j, step = letter(page), (*during(page), *letters(page))
    sender = page.src(r, t, p, *any_j)
    active = page.active(sender, t, p, *any_j)
    if not page.carries and single(page.count(sender, t, p)):
        yield note("something new", step, implies(active, news(page.chunk(sender, t, p, *any_j))))
    else:
        yield Obligation("something sent", step, implies(active, some_chunk(page, sender)))
        yield note("something new", step, implies(sends(page, sender), news(c)))


def some_chunk(page: Page, sender: Int) -> Bool:
    """Return the condition that a message has a chunk; where nobody counts them, its sender's or its receiver's."""
    if page.carries and not page.below:
        return some(*(page.carries(sender, own, t, p) for own in (sender, r)))
    return page.count(sender, t, p) >= 1


def near(c: Int) -> tuple[Int, Int, Int]:
    """Return candidates for a rank or a contribution that exists: ``c`` and its two neighbours."""
    return c, (c - 1) % p, (c + 1) % p


def partition(bound: Bound = bound) -> Iterator[Obligation]:
    """Yield the obligations that the chunks cut ``[0, n)`` without gap or overlap, for all n >= 0, even n < p."""
    box = (p >= 1, n >= 0, within(c))
    yield Obligation("begins at 0", box, bound(0, n, p) == 0)
    yield Obligation("ends at n", box, bound(p, n, p) == n)
    yield Obligation("in order", box, bound(c, n, p) <= bound(c + 1, n, p))
