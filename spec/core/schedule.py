"""A page's formulas read with numbers: who sends what to whom in a step, checked.

Whatever makes no schedule (a peer or a chunk out of range, a message to oneself, a receiver that listens
elsewhere, a division by zero, a shift by less than nothing) is a :class:`~sparring.errors.ScheduleFault` that
names the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from sparring.errors import InputError, ScheduleFault, SparringError
from sparring.spec.core.blocks import Chunks, block, named, picked
from sparring.spec.core.loading import each_chunk
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.vector_parts import Places

MESSAGES = 2**12
"""The most messages of a rank in a step that are looked at, where there are fewer ranks."""


def step_sends(page: Page, t: int, p: int) -> list[tuple[int, int, Chunks]]:
    """Who sends in step ``t``, to whom, and which chunks, by sender; what is silent is checked too."""
    if (messages := number(page.messages(t, p))) < 1:
        raise ScheduleFault(p, t, f"messages({t}, {p}) = {messages}; a step has at least 1")
    if messages > (most := max(p, MESSAGES)):
        raise InputError(f"page {page.name}: messages({t}, {p}) = {messages}; right: at most {most} a rank and step")
    letters = [(j,) for j in range(messages)] if page.several else [()]
    each = [(r, j) for r in range(p) for j in letters]
    try:
        sends = [(r, *send(page, r, t, p, *j)) for r, j in each]
    except SparringError:
        raise
    except (ArithmeticError, ValueError) as error:
        raise ScheduleFault(p, t, f"a formula has no value: {error}") from error
    found = [one for one, (r, j) in zip(sends, each) if truth(page.active(r, t, p, *j))]
    if page.several:
        apart(found, truth(page.adds(t, p)), t, p)
    return found


def apart(sends: Sequence[tuple[int, int, Chunks]], adds: bool, t: int, p: int) -> None:
    """Raises ScheduleFault where two messages of a step have the same two ranks, or overwrite the same chunk."""
    pairs, copies = Counter((r, d) for r, d, _ in sends), Counter((d, c) for _, d, c in sends)
    for (r, d), times in pairs.items():
        if times > 1:
            raise ScheduleFault(p, t, f"rank {r} sends {times} messages to rank {d}; a step has at most one")
    for (d, c), times in copies.items():
        if times > 1 and not adds:
            raise ScheduleFault(p, t, f"{times} messages overwrite rank {d}'s {named(c)}; only one can")


def send(page: Page, r: int, t: int, p: int, *j: int) -> tuple[int, Chunks]:
    """To whom rank ``r`` sends in step ``t``, if it does (its message ``j``), and which chunks; checked."""
    d, s = number(page.dst(r, t, p, *j)), number(page.src(r, t, p, *j))
    if not (0 <= d < p and 0 <= s < p):
        what, x = ("src", s) if 0 <= d < p else ("dst", d)
        raise ScheduleFault(p, t, f"{what}({r}, {t}, {p}) = {x} is out of range 0..{p - 1}")
    chunks = carried(page, page.carries, r, t, p) if page.carries else in_a_row(page, r, t, p, *j)
    if d == r and truth(page.active(r, t, p, *j)):
        raise ScheduleFault(p, t, f"rank {r} sends to itself")
    if (heard := number(page.src(d, t, p, *j))) != r:
        raise ScheduleFault(p, t, f"rank {r} sends to rank {d}, which listens to rank {heard}")
    return d, chunks


def in_a_row(page: Page, r: int, t: int, p: int, *j: int) -> Chunks:
    """The block of chunks that rank ``r`` sends in step ``t``, if it does; checked."""
    first, count, chunks = number(page.chunk(r, t, p, *j)), number(page.count(r, t, p)), number(page.chunks(p))
    end = chunks + (count <= 0 and not page.round)
    if not 0 <= first < end:
        raise ScheduleFault(p, t, f"chunk({r}, {t}, {p}) = {first} is out of range 0..{end - 1}")
    if not 0 <= count <= (chunks if page.round else chunks - first):
        told = f"block({r}, {t}, {p}) = ({first}, {count})"
        raise ScheduleFault(p, t, f"{told} is no block of the chunks 0..{chunks - 1}")
    return block(first, count, chunks)


def carried(page: Page, carries: Callable[..., Bool], r: int, t: int, p: int) -> Chunks:
    """The chunks that rank ``r`` sends in step ``t``, if it does, one by one; counted as the page counts them."""
    found = [c for c, one in enumerate(each_chunk(carries, r, t, p, number(page.chunks(p)))) if truth(one)]
    if page.below and (count := number(page.count(r, t, p))) != len(found):
        raise ScheduleFault(p, t, f"below counts {count} chunks in rank {r}'s message, which carries {len(found)}")
    return picked(found)


def places(some: Chunks, n: int, chunks: int) -> Places:
    """Where chunks lie in a vector of ``n`` entries."""

    def begins(c: int) -> int:
        return number(bound(c, n, chunks))

    if isinstance(some, range):
        return slice(begins(some.start), begins(some.stop))
    return [i for c in some for i in range(begins(c), begins(c + 1))]


def number(x: Int) -> int:
    """The number that ``x`` is; a run has no symbols."""
    if not isinstance(x, int):
        raise InputError(f"a schedule formula gave {x!r}, not an integer")
    return x


def truth(x: Bool) -> bool:
    """The truth that ``x`` is."""
    if not isinstance(x, bool):
        raise InputError(f"a schedule formula gave {x!r}, not True or False")
    return x
