"""What becomes of messages whose packets are lost on their way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from sparring.present.explorer.document import Message, Step
from sparring.spec.library.lossy_links import COLLECTING, HANDING, Collect, Lossy


def shown(each: Sequence[Lossy], step: Step, cuts: Sequence[int]) -> Step:
    """Return a step with how many packets of each message are lost; what a receiver then has is not known."""
    lost = [losses(each, m, cuts) for m in step.messages]
    details = [replace(d, says=told(*one)) for d, one in zip(step.details, lost)]
    messages = [replace(m, adds=None) if gone else m for m, (gone, _) in zip(step.messages, lost)]
    return replace(step, messages=messages, details=details)


def losses(each: Sequence[Any], m: Message, cuts: Sequence[int]) -> tuple[int, int]:
    """Return how many packets of a message are lost, and of how many."""
    one, (c,) = each[m.src], m.chunks
    collects = isinstance(one, Collect)
    piece = one.x[cuts[c] : cuts[c + 1]] if collects else one.x
    came = one.came(COLLECTING if collects else HANDING, m.src, m.dst, piece, sure=False)
    return sum(packet.version == 0 for packet in came), len(came)


def told(lost: int, of: int) -> str:
    """Return in words what arrives.

    >>> told(0, 1), told(1, 1), told(1, 3)
    ('arrives', 'is lost on its way', '1 of 3 packets is lost')
    """
    if lost in (0, of):
        return "is lost on its way" if lost else "arrives"
    return f"{lost} of {of} packets {'is' if lost == 1 else 'are'} lost"
