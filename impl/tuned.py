"""Dense allreduce by the algorithm that costs the least for the vector's length, on mpi4py.

Short vectors are bound by the number of messages, long ones by their words.  So for each length the time of three
algorithms is worked out from the machine's seconds a message, a byte and an addition; the formulas are the derived
costs of their pages, in lock step, and what it takes to tell dtype and length before.  Of two that cost the same it is
the first of ``TIMES``.

MPI libraries measure where to change, and have tables.  That costs decide is our own design.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, SupportsFloat

from sparring.errors import InputError
from sparring.impl import rabenseifner, recursive_doubling, ring
from sparring.impl.core.agreement import Messages, Work, agreed_call
from sparring.impl.core.transport import Kind, Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Timing(Protocol):
    """What tells the seconds of a message, of a byte and of an addition, as a calibrated ``sparring.Machine`` does."""

    @property
    def alpha(self) -> SupportsFloat: ...
    @property
    def beta(self) -> SupportsFloat: ...
    @property
    def gamma(self) -> SupportsFloat: ...


class Seconds(NamedTuple):
    """The seconds of a message, of a byte and of an addition."""

    alpha: float
    beta: float
    gamma: float


USUAL = Seconds(alpha=5e-6, beta=1e-10, gamma=2.5e-10)
"""Five microseconds a message, ten gigabytes and four thousand million additions a second: an assumption."""


def in_a_ring(m: Seconds, n: int, p: int, width: int) -> float:
    """Seconds of ``n`` entries of ``width`` bytes on ``p`` ranks, in a ring."""
    block = -(-n // p)
    return (p - 1) * (2 * m.alpha + 2 * m.beta * width * block + m.gamma * block)


def by_halves(m: Seconds, n: int, p: int, width: int) -> float:
    """The same by Rabenseifner's algorithm, where ``n`` is a multiple of the largest power of two in ``p``."""
    pieces, folds = rabenseifner.pieces(p), recursive_doubling.beyond(p) > 0
    words = n - n // pieces + n * folds
    return 2 * m.alpha * (p - 1).bit_length() + 2 * m.beta * width * words + m.gamma * words


def by_doubling(m: Seconds, n: int, p: int, width: int) -> float:
    """The same by recursive doubling."""
    rounds, folds = recursive_doubling.rounds(p), recursive_doubling.beyond(p) > 0
    return (rounds + 2 * folds) * (m.alpha + m.beta * width * n) + (rounds + folds) * m.gamma * n


Time = Callable[[Seconds, int, int, int], float]
TIMES: Mapping[str, Time] = {
    "recursive_doubling": by_doubling, "rabenseifner": by_halves, "ring": in_a_ring,
}  # fmt: skip
"""The seconds that each algorithm takes."""


def around(messages: Messages, x: Vector, y: Vector) -> None:
    """``y`` becomes the sum, in a ring."""
    ring.reduce_scatter(messages.comm, x, y)
    ring.allgather(messages.comm, y)


def halved(messages: Messages, x: Vector, y: Vector) -> None:
    """``y`` becomes the sum, by halves."""
    rabenseifner.add_up(messages.comm, x, y)


WORK: Mapping[str, Work] = {
    "recursive_doubling": recursive_doubling.add_up, "rabenseifner": halved, "ring": around,
}  # fmt: skip
AT_ONCE = "recursive_doubling"
"""The algorithm whose ranks need not tell dtype and length first if they are those of the last call."""


@lru_cache(1000)
def choose(m: Seconds, n: int, p: int, width: int) -> str:
    """The algorithm that takes the fewest seconds for ``n`` entries of ``width`` bytes on ``p`` ranks.

    To tell dtype and length first takes as many messages, one after the other, as ``p`` can be halved, rounded up.
    """
    told = m.alpha * (p - 1).bit_length()
    return min(TIMES, key=lambda name: TIMES[name](m, n, p, width) + told * (name != AT_ONCE))


def allreduce(
    comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True, machine: Timing = USUAL,
    algorithm: str | None = None,
) -> Vector:  # fmt: skip
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap around.  ``out``: where
    the result goes, ``x`` itself included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays
    as it is.  ``machine``: what decides; ``algorithm``: one of ``TIMES``, which then is taken.  Both must be the same
    on every rank: nothing checks that, and ranks that choose differently hang.  In which order is added depends on the
    algorithm, and so do the bits of a sum of floats.

    Every rank must have the same dtype and length.  With ``validate``, a fault on one rank raises InputError on all:
    one exchange of two integers a rank makes sure of that first, but for short vectors of the last call's dtype and
    length.  Without it each rank's arguments are still checked, but ranks that differ hang or compute nonsense.

    Raises InputError for an algorithm that is not known.  Two calls on one communicator may not run at the same time in
    different threads.
    """
    if algorithm is not None and algorithm not in TIMES:
        raise InputError(f"algorithm = {algorithm!r}: there are {', '.join(TIMES)}")
    m, p = Seconds(float(machine.alpha), float(machine.beta), float(machine.gamma)), comm.Get_size()

    def chosen(n: int, width: int) -> str:
        return algorithm or choose(m, n, p, width)

    def work(messages: Messages, x: Vector, y: Vector) -> None:
        WORK[chosen(x.size, x.itemsize)](messages, x, y)

    def at_once(agreed: Kind) -> bool:
        return chosen(agreed[0], agreed[1].itemsize) == AT_ONCE

    return agreed_call(comm, x, out, validate, work, at_once)
