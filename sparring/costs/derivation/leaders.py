"""Names ranks that may send the most messages of a step, and says when a path of messages goes through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparring.proofs.logic.obligations import Obligation, during, letter, p, some, t, within
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, variables, where

SOME_RANKS: tuple[Int, ...] = (0, p - 1, where(p > 1, 1, 0))
"""Ranks, one of which is shown to do what some rank does."""

Leader = Callable[[Int], Int]
"""A rank for each step."""

Does = Callable[..., Bool]
"""``does(r, t, j)``: whether rank ``r`` sends, or gets, message ``j`` of step ``t``; no ``j`` if there is one."""


def sends(page: Page) -> Does:
    """Return the act of sending."""
    return lambda x, step, *j: page.active(x, step, p, *j)


def adds(page: Page) -> Does:
    """Return the act of adding: a rank adds what its source sends."""
    return lambda x, step, *j: both(page.adds(step, p), page.active(page.src(x, step, p, *j), step, p, *j))


def leaders(page: Page) -> Sequence[Leader]:
    """Return ranks that may lead: always the same, but for the first step; the next one in each step; senders.

    On a binary tree levels begin at the powers of two, less 1.
    """
    last, log = page.steps(p), p.bit_length() - 1

    def steady(x: Int) -> Leader:
        return lambda _: x

    def source(x: Int) -> Leader:
        return lambda step: page.src(x, step, p, *letter(page, 0))

    def then(x: Int) -> Leader:
        return lambda step: where(step == 0, page.src(x, 0, p, *letter(page, 0)), x)

    moving: list[Leader] = [lambda step: step, lambda step: p - 1 - step, lambda step: last - step]
    levels: list[Leader] = [lambda step: (1 << step) - 1, lambda step: (1 << least(last - step, log)) - 1]
    always = [of(x) for of in (steady, source, then) for x in SOME_RANKS]
    return [*always, *moving, *(levels if page.encoding == "bits" else ())]


def least(x: Int, y: Int) -> Int:
    """Return the lesser of the two."""
    return where(x < y, x, y)


def a_rank(page: Page, leader: Leader) -> Obligation:
    """Return the obligation that the leader is a rank."""
    return Obligation("the leader is a rank", during(page), within(leader(t)))


def passes(page: Page, leader: Leader) -> Obligation:
    """Return the obligation that the next leader is the same rank, or one to which this one sends."""
    now, after = leader(t), leader(where(t + 1 < page.steps(p), t + 1, t))
    same = now == after if "t" in variables(now) else True
    sent = (both(page.active(now, t, p, *at), page.dst(now, t, p, *at) == after) for at in few(page))
    return Obligation("a path of leaders", during(page), some(same, *sent))


def few(page: Page) -> Sequence[tuple[Int, ...]]:
    """Return the numbers of a step's messages, or the first where there is no small number of them."""
    many = page.messages(t, p)
    return [letter(page, at) for at in range(many if isinstance(many, int) else 1)]
