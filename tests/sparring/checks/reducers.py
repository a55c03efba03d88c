"""Reducers that keep their contracts, and planted ones that do not: one fault each."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import sparring


class TopK:
    """Each rank sends its k largest entries, keeps the rest, and adds it to its next vector.

    Classes below plant a fault in one method each.
    """

    mean: ClassVar[bool] = False

    def __init__(self, comm, n, k):
        self.comm, self.n, self.k, self.calls = comm, n, k, 0
        self.residual = None

    def __call__(self, x):
        self.calls += 1
        x = self.added(x)
        mine = self.selected(x)
        self.residual = self.kept(x, mine)
        return self.reduced(mine)

    def added(self, x):
        return x + (0 if self.residual is None else self.residual)

    def selected(self, x):
        mine = np.zeros_like(x)
        at = np.argsort(-np.abs(x), kind="stable")[: self.k]
        mine[at] = x[at]
        return mine

    def kept(self, x, mine):
        return x - mine

    def reduced(self, mine):
        total = np.empty_like(mine)
        self.comm.Allreduce(mine, total)
        return total / self.comm.size if self.mean else total


class Mean(TopK):
    """The same with averages."""

    mean = True


class Sparse(TopK):
    """The same as a sparse vector."""

    def reduced(self, mine):
        total = super().reduced(mine)
        at = np.flatnonzero(total)
        return sparring.Sparse(at, total[at], self.n)


class Forgets(TopK):
    """What is left of the second call is lost."""

    def kept(self, x, mine):
        return np.zeros_like(x) if self.calls == 2 else x - mine


class World(TopK):
    """Adds up what all ranks have that there are."""

    def __init__(self, comm, n, k):
        from mpi4py import MPI

        super().__init__(MPI.COMM_WORLD, n, k)


class Few(TopK):
    """What is left is lost on more than 8 ranks."""

    def kept(self, x, mine):
        return np.zeros_like(x) if self.comm.size > 8 else x - mine


class ForgetsLate(TopK):
    """What is left of the 33rd call is lost."""

    def kept(self, x, mine):
        return np.zeros_like(x) if self.calls == 33 else x - mine


class Twice(TopK):
    """What was kept is added twice."""

    def added(self, x):
        return x + (0 if self.residual is None else 2 * self.residual)


class KeepsAll(TopK):
    """What was sent is kept, too."""

    def kept(self, x, mine):
        return x.copy()


class Sums(TopK):
    """Returns the sum where the mean is promised."""


class More(TopK):
    """Sends all entries that are as large as the k-th."""

    def selected(self, x):
        if not self.k or not x.size:
            return np.zeros_like(x)
        least = np.sort(np.abs(x))[-min(self.k, x.size)]
        return np.where(np.abs(x) >= least, x, 0)


class Overflows(TopK):
    """Keeps minus infinity where the result has infinity."""

    def kept(self, x, mine):
        return np.full_like(x, -np.inf)

    def reduced(self, mine):
        return np.full_like(mine, np.inf)


class KeepsLess(TopK):
    """Keeps one entry too few in its first call."""

    def kept(self, x, mine):
        return (x - mine)[self.calls == 1 :]

    def added(self, x):
        return x if self.calls <= 2 else super().added(x)


class Hides(TopK):
    """Shows nothing of what it keeps."""

    residual = property(lambda self: None, lambda self, x: None)


class NeedsRoom(TopK):
    """Fails where more entries are kept than there are."""

    def selected(self, x):
        if self.k > x.size:
            raise IndexError("there are not so many entries")
        return super().selected(x)


class Smallest(TopK):
    """Sends the smallest entries."""

    def selected(self, x):
        mine = np.zeros_like(x)
        at = np.argsort(np.abs(x), kind="stable")[: self.k]
        mine[at] = x[at]
        return mine


class NeedsEntries(TopK):
    """Fails where nothing is kept."""

    def selected(self, x):
        if not self.k or not x.size:
            raise IndexError("no entry is kept")
        return super().selected(x)


class Tree(TopK):
    """gTop-k: of two partners' k entries each the k largest go on.  What a rank sent and did not come back is kept."""

    def reduced(self, mine):
        self.mine, total, step = mine, mine, 1
        while step < self.comm.size:
            partner, other = self.comm.rank ^ step, np.empty_like(total)
            if partner < self.comm.size:
                self.comm.Sendrecv(total, partner, recvbuf=other, source=partner)
                total = super().selected(total + other)
            step *= 2
        return total

    def __call__(self, x):
        x = self.added(x)
        self.mine = self.selected(x)
        total = self.reduced(self.mine)
        self.residual = x - self.gone(total)
        return total

    def gone(self, total):
        """Of this rank's entries those that came back."""
        return np.where(total != 0, self.mine, 0)


class Agreed(Tree):
    """What ranks sent and merging has dropped somewhere in the tree is kept: of all that came back, nobody's is lost.

    So all ranks ask each other what of theirs is in the result.
    """

    def reduced(self, mine):
        total = TopK.reduced(self, mine)
        return self.selected(total)


class Reuses(TopK):
    """Returns the same memory in each call."""

    def reduced(self, mine):
        total = super().reduced(mine)
        self.memory = total if self.calls == 1 else self.memory
        self.memory[:] = total
        return self.memory


class Idle(TopK):
    """A rank without a gradient sends nothing, and forgets what it had kept."""

    def kept(self, x, mine):
        return x - mine if self.busy else np.zeros_like(x)

    def added(self, x):
        self.busy = x.any()
        return super().added(x)

    def selected(self, x):
        return super().selected(x) if self.busy else np.zeros_like(x)


class Waits(Idle):
    """It sends nothing, and keeps what it had kept."""

    def kept(self, x, mine):
        return x - mine


class Clips(TopK):
    """Keeps at most 1,000 in magnitude."""

    def kept(self, x, mine):
        return np.clip(x - mine, -1000, 1000)


class ForgetsFifth(TopK):
    """What is left of each fifth call is lost."""

    def kept(self, x, mine):
        return x - mine if self.calls % 5 else np.zeros_like(x)


class EndsShort(TopK):
    """Keeps nothing of the last entry of a vector of more than 1,000."""

    def kept(self, x, mine):
        rest = x - mine
        rest[1000:][-1:] = 0
        return rest


def halves(comm, x):
    """The sum of floats of 16 bits, in steps that the largest entry of any rank says."""
    return rounded_to_half(comm, x, max(comm.allgather(float(np.abs(x).max(initial=0)))) or 1.0)


def unscaled_halves(comm, x):
    """The same, without steps: large entries overflow."""
    return rounded_to_half(comm, x, 1.0)


def rounded_to_half(comm, x, step):
    with np.errstate(over="ignore", invalid="ignore"):
        mine = ((x / step).astype(np.float16).astype(x.dtype) * step).astype(x.dtype)
        return total(comm, mine)


def rounded(comm, x):
    """To the nearest of steps of 1/8, then the sum."""
    total = np.empty_like(x)
    comm.Allreduce(np.round(x * 8) / 8, total)
    return total


class Dithered:
    """To a step of 1/8 above or below, at random, so that on average nothing is off."""

    def __init__(self, comm, n):
        self.comm, self.random = comm, np.random.default_rng(comm.rank)

    def __call__(self, x):
        total = np.empty_like(x)
        self.comm.Allreduce((np.floor(x * 8 + self.noise(x)) / 8).astype(x.dtype), total)
        return total

    def noise(self, x):
        return self.random.random(x.size)


class Leaning(Dithered):
    """Rather below."""

    def noise(self, x):
        return 0.9 * self.random.random(x.size)


class Fixed(Dithered):
    """At random once and for all."""

    def noise(self, x):
        return np.random.default_rng(self.comm.rank).random(x.size)


class RandomK(TopK):
    """k entries at random, as much larger as they are fewer."""

    def __init__(self, comm, n, k):
        super().__init__(comm, n, k)
        self.random = np.random.default_rng(comm.rank)

    def __call__(self, x):
        mine = np.zeros_like(x)
        at = self.random.choice(x.size, min(self.k, x.size), replace=False)
        mine[at] = x[at] * self.scale()
        return self.reduced(mine)

    def scale(self):
        return self.n / min(self.k, self.n) if self.n and self.k else 1


class Unscaled(RandomK):
    """As they are."""

    def scale(self):
        return 1


def mean(comm, x):
    """The mean."""
    total = np.empty_like(x)
    comm.Allreduce(x, total)
    return total / comm.size


def mean_of_world(comm, x):
    """The sum by the number of ranks of another communicator."""
    from mpi4py import MPI

    total = np.empty_like(x)
    comm.Allreduce(x, total)
    return total / MPI.COMM_WORLD.size


def total(comm, x):
    """The sum."""
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


def total_of_sparse(comm, x):
    """The sum of sparse vectors."""
    y = np.zeros(x.n, x.dtype)
    comm.Allreduce(x.dense(), y)
    present, at = np.zeros(x.n), np.zeros(x.n)
    at[x.indices] = 1
    comm.Allreduce(at, present)
    found = np.flatnonzero(present)
    return sparring.Sparse(found.astype(x.indices.dtype), y[found], x.n)
