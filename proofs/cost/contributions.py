"""How many ranks' contributions a message holds; and its bytes, from the ranks' supports alone.

A page of sparse chunks states ``contributions(t, p)``: in step ``t`` the message with chunk ``c``
holds those of so many ranks, ``c`` and its next neighbours around the ring.  This is proved from
what the page says it ``holds`` for every number of ranks, and counted in its schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np

from sparring.errors import InputError, Undecided
from sparring.proofs.core.obligations import Obligation, during, every, implies, note, p, q, r, t, within
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import companion
from sparring.proofs.core.verdicts import PROVED, REFUTED, UNDECIDED, Verdict
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Int, Sym
from sparring.spec.core.runner import number, send, truth

Contributions = Callable[[Int, Int], Int]
i, j = Sym.var("i"), Sym.var("j")


def contributions(page: Page) -> Contributions:
    """What stands by the page; raises Undecided where nothing does."""
    stated: Contributions | None = getattr(companion(page), "contributions", None)
    if stated is None:
        raise Undecided("how many ranks' contributions a message holds is not stated: contributions(t, p)")
    return stated


def neighbours(page: Page, s: Contributions) -> Iterator[Obligation]:
    """``i -> (c + i) % p`` takes ``0 .. s(t, p) - 1`` one to one onto the ranks whose contributions a message holds.

    So there are exactly ``s(t, p)`` of them, and they stand next to each other, from ``c`` on.
    """
    c, many, step = page.chunk(r, t, p), s(t, p), during(page)
    held = page.holds(q, r, c, t, p)
    place = (q - c) % p
    yield note("one to all", step, every(many >= 1, many <= p))
    yield note("each is held", (*step, within(i, many)), page.holds((c + i) % p, r, c, t, p))
    yield note("no other is held", step, implies(held, every(within(place, many), (c + place) % p == q)))
    yield note("no two are one", (*step, within(i), within(j)), implies((c + i) % p == (c + j) % p, i == j))


def prove(page: Page, s: Contributions) -> tuple[Verdict, str]:
    """What both solvers say of these obligations, and what that rests on."""
    answers = list(answered(list(neighbours(page, s)), second_opinion=True))
    for answer in answers:
        if not answer.holds:
            at = ", ".join(f"{letter}={value}" for letter, value in answer.witness.items())
            verdict = UNDECIDED if answer.problem else REFUTED
            return verdict, f"{answer.obligation.name}: {answer.problem or f'fails at {at}'}"
    return PROVED, f"neighbours from the chunk's rank on, exactly so many; {len(answers)} obligations, z3 and cvc5"


def unlike(page: Page, s: Contributions, ranks: Iterable[int]) -> str:
    """The first message of the schedule that holds other contributions than stated; empty if none does."""
    return next((fault for p in ranks for fault in unlike_at(page, s, p)), "")


def unlike_at(page: Page, s: Contributions, p: int) -> Iterator[str]:
    """The same for one number of ranks; sets of ranks are the bits of numbers."""
    copies = [[1 << rank] * p for rank in range(p)]
    for step in range(number(page.steps(p))):
        many, adds = number(s(step, p)), truth(page.adds(step, p))
        sends = [send(page, rank, step, p) for rank in range(p)]
        wire = [(dst, c, copies[rank][c]) for rank, (dst, (c,)) in enumerate(sends)]
        for dst, c, held in wire:
            if held != neighbouring(c, many, p):
                yield f"p={p}, step {step}, chunk {c}: {held.bit_count()} contributions, stated {many} from {c} on"
            copies[dst][c] = held | (copies[dst][c] if adds else 0)


def neighbouring(c: int, s: int, p: int) -> int:
    """The ranks ``c``, ``c + 1``, ... around the ring, ``s`` of them, as bits.

    >>> [bin(neighbouring(c, 2, 4)) for c in range(4)]
    ['0b11', '0b110', '0b1100', '0b1001']
    """
    bits = ((1 << s) - 1) << c
    return bits & ((1 << p) - 1) | bits >> p


def predicted(page: Page, supports: Sequence[Collection[int]], n: int, w: int) -> list[list[int]]:
    """The bytes of the message of each rank in each step, ``[t][r]``, for these supports and values of ``w`` bytes.

    ``supports[r]``: the indices of rank ``r``'s entries, below ``n``.  Only unions are made; the
    page is not run.  A chunk sent whole has another number of entries, but the same bytes.
    """
    p, s = len(supports), contributions(page)
    if bad := [rank for rank, at in enumerate(supports) if len(at) and not 0 <= min(at) <= max(at) < n]:
        raise InputError(f"supports[{bad[0]}] has an index that is not in 0 .. {n - 1}")
    sizes = [unions(supports, c, n) for c in range(p)]

    def sent(rank: int, step: int) -> int:
        _, (c,) = send(page, rank, step, p)
        return number(page.octets(sizes[c][number(s(step, p)) - 1], length(c, n, p), w))

    return [[sent(rank, step) for rank in range(p)] for step in range(number(page.steps(p)))]


def unions(supports: Sequence[Collection[int]], c: int, n: int) -> list[int]:
    """In chunk ``c``, the sizes of the unions of 1, 2, ... ranks' supports from rank ``c`` on."""
    p, found = len(supports), []
    first, union = number(bound(c, n, p)), np.zeros(length(c, n, p), dtype=bool)
    for step in range(p):
        at = np.fromiter(supports[(c + step) % p], dtype=np.int64) - first
        union[at[(at >= 0) & (at < union.size)]] = True
        found.append(int(union.sum()))
    return found


def length(c: int, n: int, p: int) -> int:
    """The entries of chunk ``c``."""
    return number(bound(c + 1, n, p)) - number(bound(c, n, p))
