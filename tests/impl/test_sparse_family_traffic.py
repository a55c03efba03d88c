"""What every sparse allreduce must pass beside its sums: bytes, several vectors in turns, bounds beyond 2^31.

Each planted defect is one that published code has, and its correct twin passes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.impl import oktopk
from sparring.proofs.core import iterations
from sparring.proofs.implementation.running import lengths
from sparring.sparse import Sparse
from sparring.spec.core import runner
from tests.impl.test_sparse_family import FAMILY, PERIODS, drawn, impl, made

K, N = 9, 53
RANKS = (1, 2, 4, 5)
CALLS = 6
"""Some find thresholds and bounds anew, others keep them; the entries that are large move on from call to call."""


def sums(comm: Any, name: str, xs: np.ndarray[Any, Any]) -> None:
    """Each call; lossless algorithms are given the largest entries, and nothing waits."""
    page = sparring.page(name)
    if page.stateful:
        target = made(comm, name, N, K)
        for x in xs:
            target(x)
    else:
        for x in xs:
            impl(name).allreduce(comm, largest(x))


def largest(x: np.ndarray[Any, Any]) -> Sparse:
    """The ``K`` largest entries."""
    at = np.sort(np.argsort(-abs(x), kind="stable")[:K])
    return Sparse(at, x[at], x.size)


def sent(target: Any, p: int) -> list[Counter[str]]:
    """By rank how many bytes and messages leave it, in all calls; ``target(comm, rank's vectors)``."""
    xs = drawn(p, N, CALLS)
    outcome = world.run(lambda comm: target(comm, xs[:, comm.rank]), p).raise_if_found()
    return counted(((m.src, m.nbytes) for m in outcome.messages if m.nbytes and m.context), p)


def wanted(name: str, p: int) -> list[Counter[str]]:
    """The same of the page's messages, in the encodings that it says."""
    xs, page = drawn(p, N, CALLS), sparring.page(name)
    if page.stateful:
        periods = {letter: calls for letter, calls in PERIODS.items() if letter in page.params}
        page = sparring.page(name, k=K, **periods)
        runs = [*iterations.runs(page, [xs[:, r] for r in range(p)])]
    else:
        runs = [runner.run(page, [largest(x) for x in call]) for call in xs]
    return counted(((src, octets) for ran in runs for src, _, octets in lengths(ran, 8) if octets), p)


def counted(messages: Any, p: int) -> list[Counter[str]]:
    """Sums by sender."""
    found: list[Counter[str]] = [Counter() for _ in range(p)]
    for src, octets in messages:
        found[src].update(bytes=octets, messages=1)
    return found


@pytest.mark.parametrize("p", RANKS)
@pytest.mark.parametrize("name", FAMILY)
def test_every_rank_sends_the_bytes_and_messages_of_the_page(name, p):
    """Rank by rank, so the busiest and the mean; on data that is skewed and moves on."""
    assert sent(lambda comm, xs: sums(comm, name, xs), p) == wanted(name, p)


def right(comm: Any, xs: Any) -> None:
    """What the defects are planted in."""
    target = impl("ring_topk").Allreduce(comm, N, k=K)
    for x in xs:
        target(x)


def wide(comm: Any, xs: Any) -> None:
    """Beside its entries each rank sends as many bytes again, as 16 bytes an entry of float32 do."""
    right(comm, xs)
    apart = comm.Dup()
    apart.Sendrecv(np.ones(4 * K, np.uint8), (comm.rank + 1) % comm.size, recvbuf=np.empty(4 * K, np.uint8))
    apart.Free()


def one_less(comm: Any, xs: Any) -> None:
    """The k-th largest entry itself is not selected."""
    target = impl("ring_topk").Allreduce(comm, N, k=K - 1)
    for x in xs:
        target(x)


@pytest.mark.parametrize(("planted", "holds"), [(right, True), (wide, False), (one_less, False)])
def test_other_bytes_are_seen(planted, holds):
    assert (sent(planted, 4) == wanted("ring_topk", 4)) == holds


def in_turns(comm: Any, make: Any) -> list[bytes]:
    """What two instances return and keep that are called in turns."""
    targets = [(make(comm, n, k), drawn(comm.size, n, 4, seed=n)[:, comm.rank]) for n, k in ((N, K), (30, 4))]
    return [b"".join(told(target, xs[i]) for target, xs in targets) for i in range(4)]


def one_by_one(comm: Any, make: Any) -> list[bytes]:
    """The same, where the second begins after the first has ended."""
    ended = []
    for n, k in ((N, K), (30, 4)):
        target, xs = make(comm, n, k), drawn(comm.size, n, 4, seed=n)[:, comm.rank]
        ended.append([told(target, x) for x in xs])
    return [b"".join(calls) for calls in zip(*ended)]


def told(target: Any, x: Any) -> bytes:
    y = target(x.copy())
    return (y.dense() if hasattr(y, "dense") else y).tobytes() + target.residual.tobytes()


def alike(make: Any) -> bool:
    """Whether both ways come to the same bits."""
    ran = [world.run(way, 3, [make] * 3).raise_if_found().results for way in (in_turns, one_by_one)]
    return ran[0] == ran[1]


@pytest.mark.parametrize("name", FAMILY)
def test_several_vectors_do_not_meet(name):
    """Gradients of two layers, each with a target of its own on one communicator."""
    assert alike(lambda comm, n, k: made(comm, name, n, k))


@pytest.mark.parametrize("shared", [True, False])
def test_a_residual_that_is_shared_is_seen(shared):
    """One list for all instances of a rank, as a variable of a class is."""

    def make(comm: Any, n: int, k: int) -> Any:
        ring = impl("ring_topk").Allreduce(comm, n, k=k)
        kept = comm.__dict__.setdefault("kept", [0.0]) if shared else [0.0]

        class Counting:
            residual = property(lambda self: ring.residual)

            def __call__(self, x: Any) -> Any:
                kept[0] += 1
                return ring(x * kept[0])

        return Counting()

    assert alike(make) != shared


FAR = 2**31 - 5
"""Four such indices add up to more than 32 bits hold."""


def bounds(comm: Any, agreed: Any) -> list[int]:
    at = np.array([FAR - 8 + comm.rank, FAR - 4, FAR, FAR + 1], np.int64)
    return list(agreed(comm, at, 2**31))


def narrow(comm: Any, at: Any, n: int) -> Any:
    """The sum of the bounds in 32 bits, as published code has it."""
    p = comm.Get_size()
    proposed = at[[oktopk.share(c, at.size, p) for c in range(1, p)]].astype(np.int32)
    summed = np.empty_like(proposed)
    comm.Allreduce(proposed, summed)
    return np.concatenate([[0], summed // p, [n]])


def test_bounds_beyond_32_bits_are_the_means():
    right = [0, FAR - 4, FAR, FAR + 1, 2**31]

    def ours(comm: Any) -> list[int]:
        return bounds(comm, impl("oktopk").agreed)

    assert world.run(ours, 4).raise_if_found().results == [right] * 4
    assert world.run(lambda comm: bounds(comm, narrow), 4).raise_if_found().results != [right] * 4
