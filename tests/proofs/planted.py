"""Faults planted in a page's formulas, for tests of what finds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sparring.proofs.core.supplement import Subject
from sparring.spec.core.numbers import where


def wrong_neighbour(subject: Subject) -> Subject:
    page = subject.page
    return replace(subject, page=replace(page, dst=lambda r, t, p, *j: (page.dst(r, t, p, *j) + 1) % p))


def further_neighbour(subject: Subject) -> Subject:
    page = subject.page
    dst, src = page.dst, page.src
    further = replace(
        page,
        dst=lambda r, t, p, *j: (dst(r, t, p, *j) + 1) % p,
        src=lambda r, t, p, *j: (src(r, t, p, *j) - 1) % p,
    )
    return replace(subject, page=further)


def one_receiver(subject: Subject) -> Subject:
    return replace(subject, page=replace(subject.page, dst=lambda r, t, p, *j: 0))


def wrong_chunk(subject: Subject) -> Subject:
    page = subject.page
    return replace(subject, page=replace(page, chunk=lambda r, t, p, *j: (page.chunk(r, t, p, *j) + t) % p))


def step_short(subject: Subject) -> Subject:
    page = subject.page
    return replace(subject, page=replace(page, steps=lambda p: where(page.steps(p) > 0, page.steps(p) - 1, 0)))


def step_long(subject: Subject) -> Subject:
    page = subject.page
    return replace(subject, page=replace(page, steps=lambda p: where(page.steps(p) > 0, page.steps(p) + 1, 0)))


def always_adds(subject: Subject) -> Subject:
    return replace(subject, page=replace(subject.page, adds=lambda t, p: True))


def never_adds(subject: Subject) -> Subject:
    return replace(subject, page=replace(subject.page, adds=lambda t, p: False))


def remainder_dropped(subject: Subject) -> Subject:
    return replace(subject, bound=lambda c, n, p: c * (n // p))


def byte_more(subject: Subject) -> Subject:
    page = subject.page
    return replace(subject, page=replace(page, octets=lambda m, size, w: page.octets(m, size, w) + 1))


MUTATIONS: Mapping[str, Callable[[Subject], Subject]] = {
    "wrong neighbour": wrong_neighbour,
    "further neighbour": further_neighbour,
    "one receiver": one_receiver, "wrong chunk": wrong_chunk, "step short": step_short, "step long": step_long,
    "always adds": always_adds, "never adds": never_adds,
    "remainder dropped": remainder_dropped,
    "byte more": byte_more,
}  # fmt: skip
