"""Closed forms for what a page sends, from its formulas alone.

``sent``      words that rank ``r`` sends in all, a sum of prefixes ``B``
``words``     V_max: the most that one rank sends
``path``      V_path: the most words along a path of messages in which each next one leaves, one
              step later, the rank that sent or that received the one before
``critical``  V_crit: the largest message of every step, summed; V_max <= V_path <= V_crit
``steps``     steps, and ``messages`` that a rank sends, one after the other, if it sends in all of them
``received``  received values that rank ``r`` adds; ``added``: the most that one rank adds
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import sympy

from sparring.costs.derivation import multi_message
from sparring.costs.derivation.changing_in_spans import derive_in_spans
from sparring.costs.derivation.changing_senders import derive_changing
from sparring.costs.derivation.confirmation import plausible, so
from sparring.costs.derivation.step_ranges import (
    Derivation,
    InSpan,
    Piece,
    ResidueReader,
    Span,
    largest,
    spans,
    total,
)
from sparring.costs.derivation.whole_vectors import derive_whole, tree
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import B, Expr, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, c, during, n, p, r, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym

k = Sym.var("k")

Words = Callable[[Int, Int, Int, Int, Int, Int], Int]
"""A formula for how much of something a message has, such as ``Page.words``."""


KNOWN: dict[int, tuple[Page, Derivation]] = {}
"""The last pages asked about, by their ids, which are no other page's as long as these are kept."""
KEPT = 64


def derive(page: Page) -> Derivation:
    """Return the closed forms for ``page``; raise Undecided, with the reason, where even ``sent`` has none.

    They are derived once: the solvers need seconds for those of some pages.
    """
    if id(page) not in KNOWN:
        found = derived(page)
        if len(KNOWN) == KEPT:
            del KNOWN[next(iter(KNOWN))]
        KNOWN[id(page)] = page, found
    return KNOWN[id(page)][1]


def derived(page: Page) -> Derivation:
    """Derive the closed forms anew."""
    if page.several and page.data == "vector" and page.cuts:
        return bundled(page)
    if page.several or page.encoding == "digits":
        return either(multi_message.rounds, page)
    if page.data == "sparse":
        raise Undecided("how long a message is depends on which entries the ranks have")
    if page.data == "selected" and not page.cuts:
        return tree(page)
    if page.blocks or (page.data == "vector" and not page.cuts):
        return either(derive_whole, page)
    all_send(page)
    steps, parts = number_of_steps(page), cut(page)
    pieces = tuple(summed(page.words, page.chunk(r, t, p), *one) for one in parts)
    sent = sympy.expand(sum(piece.total for piece in pieces))
    gaps: list[str] = []

    def tried(what: str, make: Callable[[], Expr]) -> Expr | None:
        try:
            return make()
        except Undecided as why:
            gaps.append(f"{what}: {why}")
            return None

    adding = tried("additions", lambda: tuple(received(page, parts)))
    added = None if adding is None else sympy.expand(sum(piece.total for piece in adding))
    critical = tried("V_crit", lambda: step_by_step(pieces))
    return Derivation(
        steps=steps, messages=steps, pieces=pieces, sent=sent, adding=adding, received=added,
        words=tried("V_max", lambda: largest(sent)),
        path=tried("V_path", lambda: longest_path(page, pieces, critical)),
        critical=critical,
        added=None if added is None else tried("most additions of one rank", lambda: largest(added)),
        added_critical=None if adding is None else tried("additions step by step", lambda: step_by_step(adding)),
        gaps=tuple(gaps),
    )  # fmt: skip


def either(derive_steady: Callable[[Page], Derivation], page: Page) -> Derivation:
    """Return the closed forms of steady senders, else of changing ones; raise Undecided, of the former, for neither."""
    try:
        return derive_steady(page)
    except Undecided:
        for derive_others in (derive_changing, derive_in_spans):
            with suppress(Undecided):
                return derive_others(page)
        raise


def bundled(page: Page) -> Derivation:
    """Return the closed forms for a page whose ranks send several messages of chunks in each of a few steps."""
    parts = tuple((step, derive(step)) for step in multi_message.step_by_step(page))
    sent = [d.sent for _, d in parts if d.sent is not None]
    added = [d.received for _, d in parts if d.received is not None]
    if not len(sent) == len(added) == len(parts):
        raise Undecided(f"of one step something is not summed: {'; '.join(gap for _, d in parts for gap in d.gaps)}")
    sent_all, added_all = (sympy.expand(sum(step)) for step in (sent, added))
    critical, added_critical = (sympy.expand(sum(map(largest, step))) for step in (sent, added))
    passed_on = multi_message.to_all(page)
    gap = "V_path: not every rank sends to every other in each step; it is counted, not derived"
    return Derivation(
        steps=len(parts) * sympy.ceiling((symbols.p - 1) / symbols.p),  # none for one rank
        pieces=tuple(piece for _, d in parts for piece in d.pieces),
        messages=sympy.expand(sum(d.steps for _, d in parts)),
        sent=sent_all, received=added_all, words=largest(sent_all), path=critical if passed_on else None,
        critical=critical, added=largest(added_all), added_critical=added_critical,
        gaps=() if passed_on else (gap,), parts=parts,
    )  # fmt: skip


def all_send(page: Page) -> None:
    """Raise Undecided unless every rank sends in every step: sums over steps and ranks count all messages."""
    sends = Obligation("all send", during(page), page.active(r, t, p))
    if sends.claim is not True and not (plausible(sends) and so(page, [sends])):
        raise Undecided(
            "in some step a rank is silent, which is not yet summed where messages are single chunks or lists"
        )


def number_of_steps(page: Page) -> Expr:
    """Return the number of steps, a polynomial in ``p`` that vanishes for one rank."""
    steps = sympy.expand(SympyReader()(page.steps(p)))
    if not steps.is_polynomial(symbols.p) or not steps.free_symbols <= {symbols.p}:
        raise Undecided(f"the number of steps, {steps}, is no polynomial in p: sums over it are not derived")
    if steps.subs(symbols.p, 1) != 0:
        raise Undecided(f"one rank would take {steps.subs(symbols.p, 1)} steps, not 0")
    return steps


def cut(page: Page) -> list[tuple[Span, InSpan]]:
    """Return the spans in which all conditions of the page's formulas stay as they are."""
    chunk = page.chunk(r, t, p)
    formulas: list[Int | Bool] = [chunk, page.adds(t, p), *(f(r, t, c, p, n, k) for f in (page.words, page.added))]
    return spans(page, [*formulas, page.chunk(page.src(r, t, p), t, p)])


def summed(formula: Words, chunk: Int, span: Span, read: InSpan) -> Piece:
    """Return what is sent in a span, by ``formula``, when ``chunk`` is what the message holds."""
    words = placed(read(formula(r, t, c, p, n, k)), ResidueReader(read.ends, read.at)(chunk))
    return Piece(span, words, total(words, span))


def placed(words: Expr, chunk: Expr) -> Expr:
    """Return the ``words`` of the message with that chunk, known only up to multiples of ``p``."""
    lap = sympy.expand(words.subs(symbols.c, symbols.c + symbols.p) - words)
    if lap != 0 or any(not x.is_Symbol and x.func is not B for x in words.atoms(sympy.Function)):
        raise Undecided(f"a message's words, {words}, are not made of chunk bounds B alone")
    return sympy.expand(words.subs(symbols.c, chunk))


def received(page: Page, parts: Sequence[tuple[Span, InSpan]]) -> Iterator[Piece]:
    """Yield what rank ``r`` adds: the message of its source, in the steps that add."""
    if SympyReader()(page.added(r, t, c, p, n, k)).has(symbols.r):
        raise Undecided("the words of a message depend on its rank otherwise than through its chunk")
    chunk = page.chunk(page.src(r, t, p), t, p)
    for span, read in parts:
        if read.holds(page.adds(t, p)):
            yield summed(page.added, chunk, span, read)


def step_by_step(pieces: tuple[Piece, ...]) -> Expr:
    """Return the sum of the largest message of each step."""
    return sympy.expand(sum(total(largest(piece.words), piece.span) for piece in pieces))


def longest_path(page: Page, pieces: tuple[Piece, ...], critical: Expr | None) -> Expr:
    """Return V_path where it is V_crit: messages are equally long, or a largest chunk is passed on in each step.

    Every rank sends in every step; so does each holder of a largest chunk, if what a rank receives
    in one step it sends in the next.
    """
    if critical is None:
        raise Undecided("there is no V_crit to compare it with")
    if all(not piece.words.has(symbols.r) for piece in pieces):
        return critical
    passed_on = page.chunk(page.dst(r, t, p), t + 1, p) == page.chunk(r, t, p)
    follows = Obligation("what is received is sent next", during(page, t, t + 1), passed_on)
    if not so(page, [follows]):
        raise Undecided("a message is not always passed on in the next step; it is counted, not derived")
    if SympyReader()(page.words(r, t, c, p, n, k)).has(symbols.r, symbols.t):
        raise Undecided("the words of a message depend on more than its chunk; it is counted, not derived")
    return critical
