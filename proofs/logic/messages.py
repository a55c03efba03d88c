"""What a rank sends and receives in a step, read from a page's formulas as conditions."""

from __future__ import annotations

from sparring.proofs.logic.obligations import c, every, letter, p, r, t, within
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both


def came(page: Page, rank: Int, q: Int) -> tuple[Bool, Int]:
    """Return whether the message comes that may bring ``q``'s contribution to ``rank`` in step ``t``, and from whom."""
    brings = letter(page, page.who(q, rank, c, t, p))
    sender = page.src(rank, t, p, *brings)
    told = sends(page, sender, *brings)
    return every(*(within(x, page.messages(t, p)) for x in brings), told), sender


def sends(page: Page, rank: Int, *j: Int) -> Bool:
    """Return the condition that ``rank`` sends chunk ``c`` in step ``t``, with several messages in the ``j``-th."""
    return both(page.active(rank, t, p, *j), sent(page, rank, *j))


def sent(page: Page, rank: Int, *j: Int) -> Bool:
    """Return the condition that ``c`` is one of the chunks that ``rank`` sends in step ``t``, if it sends."""
    if page.carries:
        return page.carries(rank, c, t, p)
    first, count = page.chunk(rank, t, p, *j), page.count(rank, t, p)
    if single(count):
        return first == c
    if page.round:
        return (c - first) % page.chunks(p) < count
    return both(first <= c, c < first + count)


def single(count: Int) -> bool:
    """Return whether ``count`` is written as 1: the message is a single chunk."""
    return isinstance(count, int) and count == 1


def placed(page: Page) -> Bool:
    """Return the condition that what rank ``r`` sends in step ``t`` are chunks of the page."""
    first, count, chunks = page.chunk(r, t, p, *letter(page)), page.count(r, t, p), page.chunks(p)
    if single(count):
        return within(first, chunks)
    if page.round:
        return every(within(first, chunks), count >= 0, count <= chunks)
    return every(first >= 0, count >= 0, first + count <= chunks)
