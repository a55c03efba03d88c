"""One-port crossbar.

Every rank has one port out and one port in, and nothing else is shared.
"""

from __future__ import annotations

from sparring.proofs.contention.links import Link
from sparring.proofs.logic.obligations import within
from sparring.spec.core.numbers import Sym

link = Sym.var("link")


def route(src: int, dst: int, p: int) -> list[tuple[int | str, int | str]]:
    """Return the way through the source's port out and the destination's port in."""
    return [(src, "crossbar"), ("crossbar", dst)]


def links() -> tuple[Link, ...]:
    """Return both ports of each rank."""
    return (
        Link("port out", (within(link),), lambda src, dst: src == link),
        Link("port in", (within(link),), lambda src, dst: dst == link),
    )
