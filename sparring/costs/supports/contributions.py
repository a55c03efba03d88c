"""Derives how many ranks' contributions a message holds, and its bytes from the ranks' supports alone.

A page of sparse chunks states ``contributions(t, p)``: a message of step ``t`` holds those of so many
ranks, which are neighbours around the ring.  The first of them is ``c``, the number of the chunk, unless
the page also states ``contributor(r, c, t, p)``, of the message that rank ``r`` sends.  Where ranks differ,
it also states ``contributed(r, t, p)``, how many rank ``r``'s message holds, of which ``contributions`` is the
most.  This is proved from what the page says it ``holds`` for every number of ranks, and counted in its
schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sparring.costs.derivation import message_bytes
from sparring.costs.derivation.proof import Checked, put_to_solvers
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.obligations import (
    Obligation,
    during,
    every,
    implies,
    letter,
    letters,
    note,
    p,
    q,
    r,
    some,
    t,
    with_lemmas,
    within,
)
from sparring.proofs.reading.annotations import companion, with_parameters
from sparring.spec.core.model import Page, bound, chunk_words
from sparring.spec.core.numbers import Int, Sym, both
from sparring.spec.core.runner import run
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector

Contributions = Callable[[Int, Int], Int]
Contributed = Callable[[Int, Int, Int], Int]
i, k = Sym.var("i"), Sym.var("k")
DRAWN = ((40, 16, 8), (12, 3, 4), (6, 1, 8))
"""Entries for each rank, one of how many a rank has, and bytes of a value, in runs."""
SOME_RANKS: tuple[Int, ...] = (0, 1, p - 1)
"""Ranks, one of which is shown to send as much as any."""


def contributions(page: Page) -> Contributions:
    """Return the page's formula for the number of contributions; raise Undecided where it states none."""
    stated: Contributions | None = getattr(companion(page), "contributions", None)
    if stated is None:
        raise Undecided("how many ranks' contributions a message holds is not stated: contributions(t, p)")
    return stated


def contributor(page: Page) -> Callable[[Int, Int, Int, Int], Int]:
    """Return the page's formula for the first rank whose contribution a message holds; by default the chunk."""
    stated: Callable[[Int, Int, Int, Int], Int] = getattr(companion(page), "contributor", lambda r, c, t, p: c)
    return stated


def contributed(page: Page, s: Contributions) -> Contributed:
    """Return the page's formula for the contributions in one rank's message; by default the same for all ranks."""
    stated: Contributed = getattr(companion(page), "contributed", lambda r, t, p: s(t, p))
    return stated


def neighbours(page: Page, s: Contributions) -> Iterator[Obligation]:
    """Yield the obligations that the ranks whose contributions a message holds are ``many`` neighbours.

    ``i -> (first + i) % p`` takes ``0 .. many - 1`` one to one onto these ranks.  So there are exactly so many of
    them, and they stand next to each other, from ``first`` on.  No rank that sends has more than ``s(t, p)``, and
    one has as many.
    """
    any_j, number_of = letter(page), contributed(page, s)
    step = (*during(page), *letters(page), page.active(r, t, p, *any_j))
    c, many = page.chunk(r, t, p, *any_j), number_of(r, t, p)
    first = contributor(page)(r, c, t, p)
    held = page.holds(q, r, c, t, p)
    place = (q - first) % p
    yield note("one to all", step, every(many >= 1, many <= p, within(first)))
    yield note("each is held", (*step, within(i, many)), page.holds((first + i) % p, r, c, t, p))
    yield note("no other is held", step, implies(held, every(within(place, many), (first + place) % p == q)))
    yield note("no two are one", (*step, within(i), within(k)), implies((first + i) % p == (first + k) % p, i == k))
    if hasattr(companion(page), "contributed"):
        most = (both(page.active(x, t, p), number_of(x, t, p) == s(t, p)) for x in SOME_RANKS)
        yield note("no rank has more", step, many <= s(t, p))
        yield note("some rank has as many", during(page), some(*most))


def somebody(page: Page) -> Obligation:
    """Return the obligation that in each step one of some ranks sends, so that the step costs a message."""
    return Obligation("somebody sends", during(page), some(*(page.active(x, t, p) for x in SOME_RANKS)))


def prove(page: Page, s: Contributions) -> Checked:
    """Put the obligations to both solvers; return the verdict, and what it rests on."""
    lemmas = with_parameters(getattr(companion(page), "lemmas", None), page)
    claims = with_lemmas(page, lemmas, neighbours(page, s))
    told = "neighbours from the stated rank on, exactly so many; {} obligations, z3 and cvc5"
    return put_to_solvers("contributions", claims, told, page.encoding)


def unlike(page: Page, s: Contributions, ranks: Iterable[int]) -> str:
    """Return the first message of the schedule that holds other contributions than stated; empty if none does."""
    return next((fault for p in ranks for fault in unlike_at(page, s, p)), "")


def unlike_at(page: Page, s: Contributions, p: int) -> Iterator[str]:
    """Yield such messages for one number of ranks; sets of ranks are the bits of numbers."""
    copies, first, number_of = [[1 << rank] * p for rank in range(p)], contributor(page), contributed(page, s)
    for step in range(number(page.steps(p))):
        most, adds = number(s(step, p)), truth(page.adds(step, p))
        wire = [(rank, dst, c, copies[rank][c]) for rank, dst, (c,) in step_sends(page, step, p)]
        for rank, dst, c, held in wire:
            begin, many = number(first(rank, c, step, p)), number(number_of(rank, step, p))
            if held != neighbouring(begin, many, p):
                yield f"p={p}, step {step}, chunk {c}: {held.bit_count()} contributions, stated {many} from {begin} on"
            copies[dst][c] = held | (copies[dst][c] if adds else 0)
        if (found := max((held.bit_count() for *_, held in wire), default=0)) != most:
            yield f"p={p}, step {step}: {found} contributions in the largest message, stated {most}"


def neighbouring(c: int, s: int, p: int) -> int:
    """Return the ranks ``c``, ``c + 1``, ... around the ring, ``s`` of them, as bits.

    >>> [bin(neighbouring(c, 2, 4)) for c in range(4)]
    ['0b11', '0b110', '0b1100', '0b1001']
    """
    bits = ((1 << s) - 1) << c
    return bits & ((1 << p) - 1) | bits >> p


def predicted(page: Page, supports: Sequence[Collection[int]], n: int, w: int) -> list[list[int]]:
    """Return the bytes that each rank sends in each step, ``[t][r]``, for these supports and values of ``w`` bytes.

    ``supports[r]``: the indices of rank ``r``'s entries, below ``n``.  Only unions are made; the
    page is not run.  A chunk sent whole because that is the cheapest has another number of entries, but the same bytes.
    """
    p, first = len(supports), contributor(page)
    number_of, sending = contributed(page, contributions(page)), message_bytes.sending(page)
    if bad := [rank for rank, at in enumerate(supports) if len(at) and not 0 <= min(at) <= max(at) < n]:
        raise InputError(f"supports[{bad[0]}] has an index that is not in 0 .. {n - 1}")
    sizes: dict[tuple[int, int], list[int]] = {}
    found = []
    for step in range(number(page.steps(p))):
        sent = [0] * p
        for rank, _, (c,) in step_sends(page, step, p):
            at, chunks = (c, number(first(rank, c, step, p))), number(page.chunks(p))
            held = sizes.get(at) or sizes.setdefault(at, unions(supports, *at, n, chunks))
            many, size = held[number(number_of(rank, step, p)) - 1], number(chunk_words(c, chunks, n))
            sent[rank] += number(page.octets(int(sending(Fraction(many), size, step, p).entries), size, w))
        found.append(sent)
    return found


def unlike_a_run(page: Page, ranks: Iterable[int]) -> str:
    """Return the first message of a run that has other bytes than supports say; empty if none has.

    Supports are drawn at random, a few entries and many.
    """
    cases = ((p, entries * p + 1, part, w) for p in ranks for entries, part, w in DRAWN)
    return next((fault for case in cases for fault in unlike_run(page, *case)), "")


def unlike_run(page: Page, p: int, n: int, part: int, w: int) -> Iterator[str]:
    """Yield a sentence for each step and rank whose bytes differ, where each rank has one of ``part`` entries."""
    rng = np.random.default_rng(p)
    supports = [sorted(rng.choice(n, n // part, replace=False).tolist()) for _ in range(p)]
    ones: list[Any] = [np.ones(len(at), f"f{w}") for at in supports]
    xs = [SparseVector(tuple(at), values, n) for at, values in zip(supports, ones)]
    for step, (wire, said) in enumerate(zip(run(page, xs).trace, predicted(page, supports, n, w))):
        sent = [0] * p
        for src, _, entries in wire:
            sent[src] += number(page.octets(len(entries.indices), entries.n, w))
        for rank, (counted, derived) in enumerate(zip(sent, said)):
            if counted != derived:
                at = f"p={p}, n={n}, k={n // part}, width={w}, step {step}"
                yield f"bytes sent in a run by rank {rank} at {at}: derived {derived}, counted {counted}"


class Message(NamedTuple):
    """A message that holds the union of several ranks' entries."""

    nbytes: Fraction
    words: Fraction
    entries: Fraction


def sized(page: Page, p: int, n: int, union: Callable[[int], Any], w: int) -> Callable[[int, int], Message]:
    """Return ``message(s, t)``: what is sent of the longest chunk in step ``t``, for a union of ``s`` ranks' supports.

    Unions have the sizes ``union(s)``, and lie evenly in the chunks.
    """
    chunk, sending = longest(page, p, n), message_bytes.sending(page)
    octets: Any = page.octets  # typed for integers and symbols, and right for fractions
    held = cache(lambda s: Fraction(union(s)) * chunk / n if n else Fraction(0))
    nbytes = cache(lambda entries: Fraction(octets(entries, chunk, w)))

    @cache
    def message(s: int, t: int) -> Message:
        entries, words = sending(held(s), chunk, t, p)
        return Message(nbytes(entries), words, entries)

    return message


def unions(supports: Sequence[Collection[int]], c: int, begin: int, n: int, chunks: int) -> list[int]:
    """Return the sizes of unions in chunk ``c``: of 1, 2, ... ranks' supports from rank ``begin`` on."""
    p, found = len(supports), []
    start, union = number(bound(c, n, chunks)), np.zeros(number(chunk_words(c, chunks, n)), dtype=bool)
    for step in range(p):
        at = np.fromiter(supports[(begin + step) % p], dtype=np.int64) - start
        union[at[(at >= 0) & (at < union.size)]] = True
        found.append(int(union.sum()))
    return found


def longest(page: Page, p: int, n: int) -> int:
    """Return the entries of the page's longest chunk."""
    return -(-n // number(page.chunks(p)))
