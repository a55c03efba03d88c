"""What the pictures are drawn from agrees with the page's own claim of who holds what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sparring.api import page
from sparring.errors import ScheduleFault
from sparring.present.spacetime.history import Held, Hop, cells, moments, share
from sparring.spec.core.model import Page

RING = page("ring")


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_copies_hold_what_the_page_claims(p: int) -> None:
    """After every step each copy's contributions are those that ``holds`` names; in the end, all."""
    states = [cells(RING, RING.start, p), *(moment.cells for moment in moments(RING, p))]
    assert len(states) == 2 * (p - 1) + 1
    for t, state in enumerate(states):
        assert state == cells(RING, lambda q, r, c, p, t=t: RING.holds(q, r, c, t, p), p)  # type: ignore[misc]  # t is bound
    assert states[-1] == [[Held(range(p))] * p] * p


def test_hops_are_what_is_sent() -> None:
    """Messages carry step, ends, chunk and what the receiver does; a second ring has others."""
    first, *_, last = moments(RING, 3)
    assert first.hops == [Hop(0, 0, 1, 0, True), Hop(0, 1, 2, 1, True), Hop(0, 2, 0, 2, True)]
    assert [hop.label for hop in last.hops] == ["=0", "=1", "=2"]
    assert str(last.hops[2]) == "step 3: rank 2 sends chunk 2 to rank 0, which overwrites its copy"


def test_backwards_differs(backwards: Page) -> None:
    """The ring the other way round has other messages and other copies on the way, and the same at the end."""
    ours, theirs = list(moments(RING, 4)), list(moments(backwards, 4))
    assert all(a.hops != b.hops for a, b in zip(ours, theirs, strict=True))
    assert ours[0].cells != theirs[0].cells
    assert ours[-1].cells == theirs[-1].cells


def test_fault_is_raised(vary: Callable[..., Page]) -> None:
    """A page whose receiver listens elsewhere is a fault with its step, not a picture."""
    with pytest.raises(ScheduleFault, match="p=3 step 0: rank 0 sends to rank 2, which listens to rank 1"):
        list(moments(vary(dst=lambda r, t, p: (r - 1) % p), 3))


def test_share() -> None:
    """A copy's share counts what it wants only, and nothing wanted is complete."""
    assert share(Held({0, 3}), Held({0, 1, 2})) == 1 / 3
    assert share(Held(), Held({1})) == 0
    assert share(Held({1}), Held()) == 1
    assert Held({1}) + Held({2}) == Held({1, 2})
    assert isinstance(Held({1}) + Held({2}), Held)
