"""The first point where a run differs from its page, and the sentence that says so."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.spec.core.blocks import Chunks, named
from sparring.trace.events import Event

Array = NDArray[Any]
SHOWN = 3
"""Entries of a message that a sentence shows."""


class Expected(NamedTuple):
    """A message of the page."""

    step: int
    src: int
    dst: int
    chunks: Chunks | None
    entries: Array

    @property
    def place(self) -> str:
        """The message's place among those of its rank."""
        return f"step {self.step}" + ("" if self.chunks is None else f", {named(self.chunks)}")


class Divergence(NamedTuple):
    """The first message that is not the page's; as text, one sentence.

    ``step``: the page's step; its number of steps for a message after its last, -1 for a rank's volume.  ``dst``: the
    receiver, -1 for a rank's volume.  ``chunks``: the page's, None where it has no such message, or is a program.
    ``expected``, ``observed``: what rank ``src`` does in the page and in the run, beginning with a verb.  ``where``:
    the line that does it, empty if none does.
    """

    step: int
    src: int
    dst: int
    chunks: Chunks | None
    expected: str
    observed: str
    where: str

    def __str__(self) -> str:
        place = f"step {self.step}, {named(self.chunks)}: " if self.chunks is not None else ""
        at = f" ({self.where})" if self.where else ""
        return f"{place}rank {self.src} {self.observed}{at}, the page {self.expected}"


def missing(message: Expected, silence: str, where: str) -> Divergence:
    """Return the divergence of a run that has nothing where ``message`` should be; ``silence`` says so."""
    text = f"sends {entries(message.entries.size)} {values(message.entries)} to rank {message.dst}"
    return Divergence(*message[:4], text, silence, where)


def other(message: Expected, event: Event) -> Divergence:
    """Return the divergence of a run that has ``event`` where ``message`` should be."""
    wanted, elsewhere = message.entries, event.peer != message.dst
    at = first_difference(wanted, event.payload)
    text = values(wanted, at)
    if event.nbytes != wanted.nbytes or elsewhere:
        text = f"{entries(wanted.size)} {text}"
    if elsewhere:
        text += f" to rank {message.dst}"
    kind = "" if event.dtype == str(wanted.dtype) else f" of {event.dtype}"
    unseen = event.payload is None and event.nbytes == wanted.nbytes and not elsewhere
    return Divergence(*message[:4], f"sends {text}", sends(event, "other " if unseen else "", kind, at), event.where)


def surplus(event: Event, steps: int) -> Divergence:
    """Return the divergence of a run that has ``event`` after all ``steps`` steps of the page."""
    expected = f"sends rank {event.peer} nothing more"
    return Divergence(steps, event.rank, event.peer, None, expected, sends(event), event.where)


def sends(event: Event, which: str = "", kind: str = "", at: int = 0) -> str:
    """Return as text what ``event`` does, its entries shown from ``at`` on."""
    shown = "" if event.payload is None else f" {values(event.payload, at)}"
    return f"sends {entries(event.count, which)}{kind}{shown} to rank {event.peer}"


def first_difference(wanted: Array, sent: Array | None) -> int:
    """Return the first entry that differs; 0 if they cannot be compared entry by entry."""
    if sent is None or not sent.size or (sent.size, sent.dtype) != (wanted.size, wanted.dtype):
        return 0
    if wanted.dtype.names:  # pairs of an index and a value
        return int(np.argmax(wanted != sent))
    return int(np.argmax((wanted != sent) & ~(np.isnan(wanted) & np.isnan(sent))))


def entries(count: int, kind: str = "") -> str:
    """Return a number of entries as text.

    >>> entries(1), entries(2, "other ")
    ('1 entry', '2 other entries')
    """
    return f"{count} {kind}{'entry' if count == 1 else 'entries'}"


def values(x: Array, at: int = 0) -> str:
    """Return a few entries of ``x`` as text, ``at`` among them, with all digits; of a list after their indices.

    >>> values(np.array([1.0, 0.1 + 0.2])), values(np.arange(9), 7)
    ('[1. 0.30000000000000004]', '[... 7 8]')
    """
    start = at if at >= SHOWN else 0
    some = x[start : start + SHOWN].tolist()
    shown = [re.sub(r"\.0$", ".", ":".join(map(str, v)) if x.dtype.names else str(v)) for v in some]
    dots = ["..."]
    return f"[{' '.join(dots * (start > 0) + shown + dots * (x.size > start + SHOWN))}]"
