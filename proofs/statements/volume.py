"""Generates from the lengths in a composition's text what has to be shown of how much it sends.

Chunks are no longer than the largest; codes of fewer entries are no longer, and from one period on grow evenly; and
what is declared is what local functions give and codes are, in examples that are evaluated here: an encoder is no
formula, and a length that is declared too short is found by the first vector that is longer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from itertools import product, zip_longest
from typing import Any

import numpy as np

from sparring.errors import Undecided
from sparring.proofs.exchanges import theorems
from sparring.proofs.logic.obligations import Bound, Obligation, j, n, p, within
from sparring.proofs.reading.held_values import function_codes
from sparring.proofs.reading.ways import PIECES, Sent, Way, unsized_code, ways
from sparring.spec.core.compositions import Memory, begun, ending, own, played, text
from sparring.spec.core.exchanges import Exchange, served
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Evaluator, Int, Node, Sym, both, variables
from sparring.spec.core.sparse import every
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import PLAIN

a, d, e = (Sym.var(name) for name in "ade")
WIDTHS = (4, 8)
"""Bytes of an entry of vectors that are coded."""
LONGEST = 1100
"""So many entries are coded at most, to see how long their codes are."""
SOME = (2, 5, 300)
"""Ranks for which a code that depends on their number is looked at."""
POINTS = ((2, 4), (2, 7), (3, 9), (4, 6), (3, 100), (2, 257))
"""Ranks and entries of vectors on which a text is played, to see how long what it sends is."""
PRIME = 1109
FEW, MOST_NAMED = 9, 8
"""So many numbers that a page names are looked at besides: where it says that lengths turn."""
CALLS = 3


def volume(page: Page, cut: Bound = bound, served_by: Callable[[str], Page] = served) -> Iterator[Obligation]:
    """Yield all obligations of volume; raises Undecided where the text does not say how long something is."""
    found = ways(page)
    yield from sharing(cut)
    for code in codes(one for way in found for one in way.sent):
        yield from sizes(code)
    yield from theorems.beyond("volume", (one.asked for way in found for one in way.sent), served_by)
    yield from declared(page, found)


def unsized(page: Page) -> str:
    """Tell why nothing is said of the bytes of a page's codes; empty where all say how long they are."""
    with suppress(Undecided):
        return next(filter(None, map(unsized_code, codes(one for way in ways(page) for one in way.sent))), "")
    return ""


def sharing(cut: Bound = bound) -> Iterator[Obligation]:
    """State how long the chunks of ``n`` entries are, of at most ``p e``: none is longer than ``e``."""
    box, room = (p >= 1, n >= 0, within(j)), (p >= 1, a >= 0, e >= 0)
    yield Obligation("a chunk begins where the last ends", box, cut(j + 1, n, p) == (j * n + n) // p)
    few = (*box, e >= 0, n <= p * e)
    yield Obligation("a chunk ends no later than with e", few, cut(j + 1, n, p) <= (j * n + p * e) // p)
    yield Obligation("which is e entries long", room, (a + p * e) // p == a // p + e)
    yield Obligation("chunks are all", (p >= 1, n >= 0), both(cut(0, n, p) == 0, cut(p, n, p) == n))


def codes(sent: Any) -> list[Any]:
    """Return the codes in which what is sent travels; what travels as it is has none."""
    return [*{(type(one.code), repr(one.code)): one.code for one in sent if one.code != PLAIN}.values()]


def sizes(code: Any) -> Iterator[Obligation]:
    """State how long messages in this code are, of entries of either width; of one with terms of ``p``, at most.

    Raises Undecided where the code does not say it.
    """
    if lacking := unsized_code(code):
        raise Undecided(lacking)
    if named := terms(code):
        yield from at_most(code, named)
        return
    many = period(code)
    for width in WIDTHS:
        yield from growing(partial(octets, code, width), f"{code!r}, {width} bytes", many)
        for c in dict.fromkeys((0, 1, 2, 7, 8, 9, many // 8, many // 8 + 1, many)):
            if c <= LONGEST:
                made = len(write_message(code, c, width))
                yield Obligation(f"{c} entries, {code!r}, {width} bytes", (), code.octets(c, width) == made)


def terms(code: Any) -> list[str]:
    """Return the parameters of a code that depend on the number of ranks; raises Undecided where more matters."""
    found = [one.name for one in fields(code) if isinstance(getattr(code, one.name), Node)]
    if any(variables(getattr(code, name)) - {"p"} for name in found):
        raise Undecided(f"{code!r} depends on more than the number of ranks")
    return found


def at_most(code: Any, named: Sequence[str]) -> Iterator[Obligation]:
    """State that messages grow evenly whatever their terms are, ``d``; for a few numbers of ranks they are as said.

    Their length is one for no bits and ``d`` times what a bit adds: both grow, and then so does the length.
    """
    letter, none, one = (replace(code, **dict.fromkeys(named, bits)) for bits in (d, 0, 1))
    for width in WIDTHS:

        def added(c: Int, width: int = width) -> Int:
            return octets(one, width, c) - octets(none, width, c)

        whole = octets(letter, width, a) == octets(none, width, a) + d * added(a)
        yield Obligation(f"so much for each of d, {letter!r}, {width} bytes", (a >= 0, d >= 0), whole)
        if not isinstance(octets(none, width, a), int):  # else nothing is sent without bits
            yield from growing(partial(octets, none, width), f"{none!r}, {width} bytes", period(code))
        yield from growing(added, f"{one!r} more than {none!r}, {width} bytes", period(code))
    for ranks in SOME:
        exact = replace(code, **{name: Evaluator({"p": ranks})(getattr(code, name)) for name in named})
        yield from sizes(exact)  # which says what 8 more take of these
        for c, width in product(range(9), WIDTHS):
            most = Evaluator({"p": ranks})(code.octets(c, width))
            name = f"{exact!r} at p={ranks}, {c} entries, {width} bytes: no longer than {letter!r}"
            yield Obligation(name, (), exact.octets(c, width) <= most)


def octets(code: Any, width: int, c: Int) -> Int:
    found: Int = code.octets(c, width)
    return found


def period(code: Any) -> int:
    """Return how many entries more take always as many bytes more."""
    found: int = getattr(code, "period", 8)
    return found


def growing(size: Any, what: str, many: int) -> Iterator[Obligation]:
    """State that an entry more makes no code shorter, hence nor do several; so ``many`` more always add equal bytes."""
    yield Obligation(f"no shorter, {what}", (a >= 0,), size(a) <= size(a + 1))
    more = size(many) - size(0)
    yield Obligation(f"as many bytes for {many} more, {what}", (a >= 0,), size(a + many) == size(a) + more)


def write_message(code: Any, c: int, width: int) -> bytes:
    """Write a message of so many entries; a code that not all vectors can have makes a ``sample`` of one."""
    x = Vector.of(np.arange(c).astype(f"f{width}"))
    (coded,) = code.pieces(code.sample(x) if hasattr(code, "sample") else x, [slice(0, c)])
    return bytes(code.written(coded))


# -- what is declared, and what vectors have


def declared(page: Page, found: Sequence[Way]) -> Iterator[Obligation]:
    """State that, in each call on a few vectors, some way of the text says how long all is that is sent."""
    for ranks, entries in (*POINTS, *((2, one + 1) for one in named(page, FEW + 1, LONGEST)[:MOST_NAMED])):
        state = None
        for called in range(CALLS):
            name = f"as long as declared: p={ranks}, n={entries}, call {called}"
            try:
                had, state = had_by(page, ranks, entries, called, state)
            except Exception as why:  # noqa: BLE001 - whatever a page raises that cannot be run is told
                yield Obligation(f"{name}: {why}", (), False)
                return
            at = {"p": ranks, "n": entries, "k": page.params.get("k", 0), "call": called, "r": 0}
            fits = any(way.first == (called == 0) or not first(found) for way in found if fitting(page, way, had, at))
            yield Obligation(name, (), fits)


def named(page: Page, least: int, most: int) -> list[int]:
    """Return the numbers that a page's functions name, or what they say of lengths, from ``least`` to ``most``."""
    held = [value for value in vars(page.module).values() if inspect.isfunction(value) or isinstance(value, int)]
    said = [getattr(one, name, None) for one in held for name in ("length", "most")]
    functions = [inspect.unwrap(one) for one in (*held, *said) if inspect.isfunction(one)]
    consts = [one for f in functions for code in function_codes(f.__code__) for one in code.co_consts]
    found = {one for one in (*held, *consts) if isinstance(one, int) and least <= one <= most}
    return sorted(found)


def first(found: Sequence[Way]) -> bool:
    """Return whether first calls are told from others."""
    return any(way.first for way in found)


def fitting(page: Page, way: Way, had: Sequence[Sequence[Exchange]], at: dict[str, int]) -> bool:
    """Return whether these are the lengths of a way, or, of a page with hypotheses, no longer."""
    supposed = bool(getattr(page.module, "hypotheses", ()))
    each = [one for one in way.sent for _ in range(int(Evaluator(at)(one.times)))]
    return all(
        one is not None and rows is not None and as_long(one, rows, at, supposed)
        for one, rows in zip_longest(each, had)
    )


def as_long(one: Sent, rows: Sequence[Exchange], at: dict[str, int], supposed: bool) -> bool:
    """Return whether what all ranks send in an exchange is as long as that, or ``supposed`` to be at most so long.

    How many entries a sparse page sends is up to the vectors: no text says more than how many they are at most.
    """
    most, axis, pieces = Evaluator(at)(one.length), rows[0].among, one.exchange in PIECES
    groups = [[size(rows[r]) for r in ranks] for ranks in (axis.groups(len(rows)) if axis else [range(len(rows))])]
    found = max(sum(long) if pieces else max(long) for long in groups)
    alike = pieces or all(len({*long}) == 1 for long in groups)
    fits = found <= most if supposed or "vector" not in rows[0].data else alike and found == most
    return type(rows[0]).__name__ == one.exchange and fits


def size(e: Exchange) -> int:
    """Return how many entries a rank sends."""
    at = getattr(e, "at", None)
    if at is not None:
        return sum(map(bool, at)) + -sum(map(bool, at)) % getattr(e, "filled", 1)
    return len(getattr(e.x, "indices", e.x)) if hasattr(e.x, "__len__") else 1


def had_by(page: Page, ranks: int, entries: int, called: int, state: Any) -> tuple[list[list[Exchange]], Any]:
    """Make a call and return by exchange what ranks bring to it, in their order; and what is remembered."""
    before = state or [begun(page)] * ranks
    rows: list[list[Exchange]] = [[] for _ in range(ranks)]
    texts = []
    for r in range(ranks):
        values = np.array([(37 * i + 5 * r + called) % PRIME - PRIME / 3 for i in range(entries)])  # no two as large
        x = every(values) if page.selecting else Vector.of(values)
        one = text(page, x=x, r=r, p=ranks, call=called, state=before[r], params=own(page), selector=page.selector)
        texts.append(watched(one, rows[r]))
    returned, _ = played(page, texts)
    after = Memory(called + 1, [ending(page, one).state for one in returned]).ranks
    return [*map(list, zip(*(filter(is_in_trace, row) for row in rows)))], after


def is_in_trace(e: Exchange) -> bool:
    """Return whether it is in a trace."""
    return type(e).__name__ != "Apart"


def watched(one: Any, rows: list[Exchange]) -> Generator[Exchange, Any, Any]:
    """Go through a text, noting each exchange."""
    answer = None
    while True:
        try:
            e = one.send(answer)
        except StopIteration as end:
            return end.value
        rows.append(e)
        answer = yield e
