"""Derives the cost of a page that sends whole vectors: messages are counted, each of ``n`` words.

Likewise where it sends blocks of equal chunks, or of lists of ``k`` entries each, or equal parts of ``k``
entries, of which all ranks send as many in a step: within a span always all of them; or first half of
them, then half of that, down to one, so that one less than all are sent in the span; or one, then twice
as many from step to step, and in the last what is then left of all but one; or these numbers backwards.

The conditions ``t < X`` of its formulas cut the steps into spans.  Within a span a rank either
sends in every step or in none, and so it is with adding; so what a rank does in all is a sum of
lengths of spans.  The most that one rank does is such a sum, too: it is found by trying, and
both solvers confirm that no rank exceeds it and that one reaches it.  V_path is V_crit if a path
of messages goes through all steps; a rank that all its messages leave or reach is found likewise.

Where blocks grow in another way because some ranks fold, all this is done for powers of two alone.

*Trees*: messages of one length are added on their way to rank 0, then shown to all.  As many steps add as
show.  A rank that is ``spent`` has sent once and not been shown the result; every other has sent nothing as
long as steps add, and afterwards at most once in each step.  So no rank sends more messages than there are
steps on one way; and rank 0 gets one in each of the first half of the steps and sends one in each of the second.

*Unions* of supports (``unioncost``): within a span each condition is decided, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple

import sympy

from sparring.costs.derivation.step_ranges import Comparisons, Derivation, Span
from sparring.costs.formulas import symbols
from sparring.costs.formulas.hypotheses import POWER
from sparring.costs.formulas.symbols import CeilLog2, Expr, FloorLog2, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic import obligations
from sparring.proofs.logic.obligations import Obligation, always, c, during, every, iff, implies, n, p, r, some, t
from sparring.proofs.logic.queries import answered
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.model import Page, chunk_words
from sparring.spec.core.numbers import Bool, Evaluator, Int, Node, Sym, both, either, negate, variables, where
from sparring.spec.recursive_doubling import rem

EQUAL, SHARED = "p | n", "p | k"
"""The hypotheses under which p chunks are equal, and have equal parts of ``k``."""

SOME_RANKS: tuple[Int, ...] = (0, p - 1, where(p > 1, 1, 0))
"""Ranks, one of which is shown to do what some rank does."""

k = Sym.var("k")

FEW = range(1, 8)
"""Numbers of ranks: a claim that is false for one of them is not put to the solvers."""

Act = Callable[[Int, Int], Bool]
"""``act(r, t)``: whether rank ``r`` acts, say sends, in step ``t``."""


SILENT = "words of one rank: which ranks are silent when is not written as a formula; only their most is"
GAPS = {
    POWER: "other p: then some ranks fold, and the messages of a step differ; they are counted, not derived",
    EQUAL: "n that p does not divide: then chunks differ by one, and messages too; they are counted, not derived",
    SHARED: "k that p does not divide: then the parts of k differ by one, and messages too; they are counted",
}
BROKEN = "V_path: no rank was found that a path goes through in all steps; it is counted, not derived"


class Bulk(NamedTuple):
    """The chunks that are sent in a span by a rank that sends in all of its steps."""

    first: Int
    end: Int
    chunks: Int
    """The number of chunks, as the solvers read it."""
    product: Int
    """The same number as it is written down."""


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


def derive_whole(page: Page) -> Derivation:
    """Return the closed forms, for powers of two if not for all p; raise Undecided where something is not shown."""
    try:
        return formed(page)
    except Undecided:
        if page.blocks and page.active(r, t, p) is not True:
            with suppress(Undecided):
                return formed(page, rem(p) == 0, POWER)
        raise


def formed(page: Page, given: Bool = True, under: str = "") -> Derivation:
    """Return the closed forms where ``given`` holds, which ``under`` says in words."""
    if not (page.cuts or page.blocks):
        whole_vector = SympyReader()(page.words(r, t, 0, p, n, k))
        if not whole_vector.equals(symbols.n):
            raise Undecided(f"a message has {whole_vector} words, not n")
    if page.data == "selected":
        parts_of_k(page)
    read = LogReader()
    edges: list[Int] = [0, *cuts(page), page.steps(p)]
    shown = [
        *steady(page, edges),
        Obligation("somebody sends", during(page), some(*(page.active(x, t, p) for x in SOME_RANKS))),
    ]
    found = [bulk(page, first, end, given) for first, end in pairwise(edges)]
    bulks = [one for one, _ in found]
    single = [Bulk(one.first, one.end, one.end - one.first, one.end - one.first) for one in bulks]
    sent, added = (most(page, bulks, act, given) for act in (sends(page), adds(page)))
    often = most(page, single, sends(page), given) if page.cuts or page.blocks else sent
    unbroken = path(page, given)
    about = [*sent[1], *(often[1] if often is not sent else ()), *added[1], *unbroken]
    claims, below = confirmed(page, [*shown, *(c for _, sizes in found for c in sizes), *about])
    adding = [one for one in bulks if always_so(page, implies(one.first < one.end, page.adds(one.first, p)), given)]

    def words(chunks: Sequence[Bulk]) -> Expr:
        total = sum((read(one.product) for one in chunks), sympy.Integer(0))
        if page.data == "lists":
            return sympy.expand(2 * symbols.k * total)
        shared = symbols.k if page.data == "selected" else symbols.n
        return sympy.expand(sympy.expand(shared * total) / read(page.chunks(p)))

    each = 2 if page.data == "selected" else 1  # a word for a value, and one for its index
    largest, critical, alike = each * words(sent[0]), each * words(bulks), page.active(r, t, p) is True
    holds = ", ".join(filter(None, [under, equal_chunks(page)]))
    counted = [GAPS[one] for one in holds.split(", ") if one in GAPS]
    gaps = (*([] if alike else [SILENT]), *counted, *([] if unbroken else [BROKEN]))
    steps = sympy.expand(read(edges[-1]))
    return Derivation(
        steps=steps, messages=steps, sent=largest if alike else None, words=largest,
        path=critical if unbroken else None, critical=critical, added=words(added[0]),
        added_critical=words(adding), gaps=gaps, confirmed=len(claims), given=holds, below=below,
        most=None if alike else sympy.expand(sum((read(one.product) for one in often[0]), sympy.Integer(0))),
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


def bulk(page: Page, first: Int, end: Int, given: Bool = True) -> tuple[Bulk, Sequence[Obligation]]:
    """Return what a rank sends in a span, and the obligations that show it.

    Raises Undecided where messages grow or shrink in another way.
    """
    everything = page.chunks(p)
    if not (page.cuts or page.blocks):
        return Bulk(first, end, (end - first) * everything, (end - first) * everything), ()
    inside = every(first <= t, t < end, page.active(r, t, p))
    now, then, last = page.count(r, t, p), page.count(r, t + 1, p), t + 1 == end
    once = every(end <= first + 1, implies(inside, now == everything))
    halves = every(implies(t == first, 2 * now == everything), where(last, now == 1, 2 * then == now))
    doubles = every(implies(t == first, now == 1), where(last, 2 * now == everything, then == 2 * now))
    rest = where(t + 2 == end, then == everything - 2 * now, then == 2 * now)
    fills = every(implies(t == first, now == 1), where(last, implies(t == first, everything == 2), rest))
    more = where(t == first, now + 2 * then == everything, 2 * then == now)
    drains = where(last, both(now == 1, implies(t == first, everything == 2)), more)
    all_once = Bulk(first, end, where(first < end, everything, 0), (end - first) * everything)
    but_one = Bulk(first, end, everything - 1, everything - 1)
    none = implies(first == end, everything == 1)
    for one, claim in (
        (all_once, once),
        *((but_one, both(none, implies(inside, shape))) for shape in (halves, doubles, fills, drains)),
    ):
        shown = Obligation("chunks in a span", during(page), implies(given, claim))
        if plausible(shown):
            return one, [shown]
    raise Undecided(
        "how many chunks are in a message is no power of two that halves or doubles from step to step, "
        "nor twice as many and then what is left, nor that backwards"
    )


def cuts(page: Page) -> list[Int]:
    """Return the ends of all spans but the last, in their order; raise Undecided where that depends on p."""
    read = Comparisons()
    compared = {**read(page.active(r, t, p)), **read(page.adds(t, p))}.values()
    ends = [x.args[1] for x in compared if x.op == "<" and x.args[0] is t]
    ends += [x.args[0] for x in compared if x.op == "<=" and x.args[1] is t]
    found = {repr(end): end for end in ends}.values()
    for order in permutations(found):
        if always_so(page, every(*(a <= b for a, b in pairwise([0, *order, page.steps(p)])))):
            return list(order)
    raise Undecided("the order of the steps at which ranks begin or cease to send depends on p")


def sends(page: Page) -> Act:
    return lambda x, step: page.active(x, step, p)


def adds(page: Page) -> Act:
    """Return the act of adding: a rank adds what its source sends."""
    return lambda x, step: both(page.adds(step, p), page.active(page.src(x, step, p), step, p))


def steady(page: Page, edges: Sequence[Int]) -> Iterator[Obligation]:
    """Yield the obligations that nothing changes from one step of a span to the next."""
    for act, what in ((sends(page), "who sends"), (adds(page), "who adds"), (lambda x, i: page.adds(i, p), "adding")):
        for first, end in pairwise(edges):
            inside = both(first <= t, t + 1 < end)
            yield Obligation(f"{what} is steady", during(page), implies(inside, iff(act(r, t), act(r, t + 1))))


def most(
    page: Page, spans: Sequence[Bulk], act: Act, given: Bool = True
) -> tuple[Sequence[Bulk], Sequence[Obligation]]:
    """Return the spans in which the rank that acts the most acts, and the obligations that show it."""

    def times(x: Int) -> Int:
        return sum((where(act(x, one.first), one.chunks, 0) for one in spans), 0)

    for many in range(len(spans), -1, -1):
        for chosen in combinations(spans, many):
            best = sum((one.chunks for one in chosen), 0)
            reached = some(*(times(x) == best for x in SOME_RANKS))
            claims = [
                Obligation("no rank does it oftener", always(page), implies(given, times(r) <= best)),
                Obligation("some rank does it so often", always(page), implies(given, reached)),
            ]
            if all(plausible(claim) for claim in claims):
                return chosen, claims
    raise Undecided("no sum of spans is the most that one rank does")


def path(page: Page, given: Bool = True) -> Sequence[Obligation]:
    """Return the obligation that a path of messages goes through all steps; nothing where no such path is found.

    The path stays with one rank and takes the messages that it sends; in the first step also one that it receives.
    """
    for x in SOME_RANKS:
        source = page.src(x, 0, p)
        received = every(t == 0, page.active(source, 0, p), page.dst(source, 0, p) == x)
        goes = implies(given, either(page.active(x, t, p), received))
        claim = Obligation("a path goes through all steps", during(page), goes)
        if plausible(claim):
            return [claim]
    return ()


def always_so(page: Page, claim: Bool, given: Bool = True) -> bool:
    """Return whether z3 finds that ``claim``, in which there is no step, holds for every p that is given."""
    tried = Obligation("tried", always(page), implies(given, claim))
    return plausible(tried) and all(answer.holds for answer in answered([tried], False, page.encoding))


def plausible(claim: Obligation) -> bool:
    """Return whether the claim, evaluated, holds for a few ranks; what counts is confirmed by both solvers."""
    names = sorted(variables(claim.claim) - {"p"})

    def fits(p: int, values: tuple[int, ...]) -> bool:
        read = Evaluator({**dict.fromkeys("qrsct", 0), "p": p, **dict(zip(names, values))})
        return not all(map(read, claim.hypotheses)) or bool(read(claim.claim))

    return all(fits(p, values) for p in FEW for values in product(range(max(FEW) + 1), repeat=len(names)))


def confirmed(page: Page, claims: Sequence[Obligation]) -> tuple[Sequence[Obligation], bool]:
    """Return ``claims``, which both solvers confirm, and whether one only for p < 2^31.

    Raises Undecided at the first that they do not confirm.
    """
    helped = tuple(obligations.with_lemmas(page, subject(page).lemmas, claims))
    below = False
    for answer in answered(helped, second_opinion=True, encoding=page.encoding):
        below |= answer.below
        if not answer.holds:
            raise Undecided(f"{answer.obligation.name}: {answer.problem or answer.witness}")
    return helped, below


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
    levels = sympy.expand(LogReader()(first))  # the steps of one way
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


# -- spans of unions


class InSpan(LogReader):
    """Reads a term as it is in the span number ``at``; ``ends`` gives, for an end as it is spelt, the span's number."""

    def __init__(self, ends: Mapping[str, int], at: int) -> None:
        super().__init__()
        self.ends, self.at = ends, at

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "<" and x.args[0] is t and repr(x.args[1]) in self.ends:
            return sympy.true if self.at <= self.ends[repr(x.args[1])] else sympy.false
        if x.op == "<=":
            return sympy.Le(*args, evaluate=False)
        if x.op == "where" and args[0] in (sympy.true, sympy.false):
            return args[1] if args[0] == sympy.true else args[2]
        if x.op == "where" and x.args[0].op == "<=":
            return SympyReader.operator(self, x, args)
        return super().operator(x, args)


def spanned(page: Page, many: Callable[[Int, Int], Int]) -> tuple[Expr, list[tuple[Span, Expr, bool]]]:
    """Return the number of steps; and for each span its steps, ``many`` in each of them, and whether it adds.

    Raises Undecided where the order of the ends depends on ``p``, or something has no closed form.
    """
    edges: list[Int] = [0, *cuts(page), page.steps(p)]
    ends = {repr(end): at for at, end in enumerate(edges[1:])}
    exact = [sympy.expand(LogReader()(edge)) for edge in edges]
    found = []
    for at, span in enumerate(pairwise(exact)):
        read = InSpan(ends, at)
        found.append((Span(*span), read(many(t, p)), bool(read(page.adds(t, p)))))
    return exact[-1], found
