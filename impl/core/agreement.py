"""Calls whose ranks need not tell one another dtype and length first, since they agreed on these in an earlier call.

A communicator keeps what its ranks last agreed on, so it is the same on all of them.  A rank whose
vector is such sends it at once.  Any other rank sends *questions* instead: empty messages with a
tag of their own.  A rank that receives a question sends questions from then on.  In an algorithm
where what each rank ends with depends on every rank's vector, one question so reaches all ranks,
and all then tell one another what they have, as in a first call.  No receive is too short, and none
is of another type than its message, since vectors are sent by ranks alone that have what was agreed.

The design is ours: MPI itself leaves a call undefined whose ranks differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import alike, checked, result
from sparring.impl.core.transport import Kind, Own, Vector, kept

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

VECTOR, QUESTION = 0, 1
"""Tags."""


class Messages:
    """The messages of one call, each a vector or a question; ``asking``: whether this rank sends questions."""

    __slots__ = ("_own", "asking", "comm")

    def __init__(self, own: Own, asking: bool = False) -> None:
        self._own, self.comm, self.asking = own, own.comm, asking

    def exchange(self, outgoing: Vector, incoming: Vector, peer: int) -> bool:
        """Send ``outgoing`` to ``peer`` and fill ``incoming`` from it; return whether both were vectors.

        The two arrays may not overlap.
        """
        tag, outgoing = self._what(outgoing)
        self.comm.Sendrecv(outgoing, peer, tag, incoming, peer, status=self._own.status)
        return self._came()

    def send(self, outgoing: Vector, peer: int) -> None:
        """Send ``outgoing`` to ``peer``."""
        tag, outgoing = self._what(outgoing)
        self.comm.Send(outgoing, peer, tag)

    def receive(self, incoming: Vector, peer: int) -> bool:
        """Fill ``incoming`` from ``peer``; return whether it was a vector, and this rank is not asking."""
        self.comm.Recv(incoming, peer, status=self._own.status)
        return self._came()

    def _what(self, outgoing: Vector) -> tuple[int, Vector]:
        return (QUESTION, outgoing[:0]) if self.asking else (VECTOR, outgoing)

    def _came(self) -> bool:
        self.asking = self.asking or self._own.status.Get_tag() == QUESTION
        return not self.asking


Work = Callable[[Messages, Vector, Vector], None]
"""``work(messages, x, y)``: every rank's ``y`` becomes the result, unless ``messages`` ask; then ``x`` stays as it is.

It must send as many messages whether they ask or not, and what it gives must depend on every rank's ``x``.
"""


def agreed_call(
    comm: Intracomm, x: Vector, out: Vector | None, validate: bool, work: Work,
    at_once: Callable[[Kind], bool] = lambda agreed: True,
) -> Vector:  # fmt: skip
    """The result of ``work``, in ``out`` or in a new array.  Collective.

    With ``validate``, ranks that have what they last agreed on begin at once, and all others ask first; where
    ``at_once`` says no of what was agreed, all ask, and ``work`` need not know questions.  Raises InputError on every
    rank if some rank's arguments are refused, or its dtype or length differs from rank 0's.  Without it ranks that
    differ hang or compute nonsense.
    """
    own = kept(comm)
    if validate:
        y, refusal = checked(x, out)
        has = None if refusal else (x.size, x.dtype)
        if own.agreed and at_once(own.agreed) and ended(own, own.agreed, has, x, y, work):
            return y
        alike(own.comm, x, refusal)
        own.agreed = has
    else:
        y = result(x, out)
    work(Messages(own), x, y)
    return y


def ended(own: Own, agreed: Kind, has: Kind | None, x: Vector, y: Vector, work: Work) -> bool:
    """Whether all ranks have what was agreed on, so that ``y`` is the result.

    A rank with anything else plays its part with vectors that others have, none of which it sends.
    """
    messages = Messages(own, has != agreed)
    if messages.asking:
        x = y = np.empty(*agreed)
    work(messages, x, y)
    return not messages.asking
