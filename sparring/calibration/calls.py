"""Prepares the calls that are repeated while the clock runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.calibration.quantities import EXCHANGED, SHARE, Quantity
from sparring.checks.ranks import target as targets
from sparring.impl.core import merge, messages, transport
from sparring.impl.core.chunks import Chunk
from sparring.impl.core.selection import top
from sparring.spec.core.model import Page
from sparring.verification.algorithm import find_target

Call = Callable[[], Any]


def call(comm: Any, quantity: Quantity, page: Page | None = None) -> Call:
    """Return the call for a quantity; ``page``: that of its algorithm."""
    if page is not None:
        return algorithm(comm, quantity, page)
    return {"exchange": exchange, "add": add, "select": select, "merge": merging, "pack": pack}[quantity.what](
        comm, quantity
    )


def exchange(comm: Any, quantity: Quantity) -> Call:
    """Return a call in which every rank passes on what it has just received to the rank at that distance.

    A step of an algorithm does the same.
    """
    own, d = transport.private(comm), quantity.distance or 1
    p, r = own.Get_size(), own.Get_rank()
    buffers = [memory(r, which)[: quantity.size] for which in (0, 1)]

    def step() -> None:
        buffers.reverse()
        transport.exchange(own, buffers[0], (r + d) % p, buffers[1], (r - d) % p)

    return step


def add(comm: Any, quantity: Quantity) -> Call:
    """Return a call that adds two vectors."""
    x, y = normal(comm.Get_rank(), quantity.size), normal(comm.Get_rank(), quantity.size, 1)
    return partial(np.add, x, y, out=np.empty_like(x))


def select(comm: Any, quantity: Quantity) -> Call:
    """Return a call that selects the largest hundredth of a vector, or the largest entry."""
    return partial(top, normal(comm.Get_rank(), quantity.size), max(1, quantity.size // SHARE))


def merging(comm: Any, quantity: Quantity) -> Call:
    """Return a call that adds two chunks, each with half of the entries, a hundredth of a chunk's length."""
    a, b = (chunk(comm.Get_rank(), quantity.size // 2, which) for which in (0, 1))
    return partial(merge.add, a, b)


def pack(comm: Any, quantity: Quantity) -> Call:
    """Return a call that writes the message of a chunk, of whose entries a hundredth is stored, and reads it."""
    one = chunk(comm.Get_rank(), quantity.size)
    buffer = np.empty(messages.room(one.length, one.values.itemsize, len(one)), np.uint8)

    def both() -> Chunk:
        used = messages.encode(one, buffer)
        return messages.decode(buffer[:used], one.length, one.values)

    return both


def algorithm(comm: Any, quantity: Quantity, page: Page) -> Call:
    """Return a call of an allreduce on vectors that lie ready, without validation among ranks where that can be.

    A sparse one gets the largest entries of independent vectors, selected before; a class selects by itself.
    """
    function: Any = targets.load(str(find_target(page)))
    x: Any = normal(comm.Get_rank(), quantity.size)
    taken = inspect.signature(function).parameters
    options = {"validate": False} if "validate" in taken else {}
    if isinstance(function, type):
        kept = {"k": quantity.k} if "k" in taken else {}
        return partial(function(comm, x.size, **kept, **options), x)
    if page.sparse:
        x = top(x, quantity.k or 0)
    return partial(function, comm, x, **options, **({"out": np.empty_like(x)} if "out" in taken else {}))


@cache
def memory(rank: int, _which: int) -> NDArray[np.uint8]:
    """Return a buffer with as many bytes as the longest message has."""
    return np.full(EXCHANGED[-1], rank % 256, np.uint8)


@cache
def normal(rank: int, n: int, which: int = 0) -> NDArray[np.float32]:
    """Draw ``n`` normal numbers, independent on each rank."""
    return np.random.default_rng([rank, which]).standard_normal(n, np.float32)


def chunk(rank: int, m: int, which: int = 0) -> Chunk:
    """Draw a chunk with ``m`` entries, at random places among a hundred times as many."""
    places = np.random.default_rng([rank, which]).choice(SHARE * m, m, replace=False, shuffle=False)
    return Chunk(np.sort(places), normal(rank, m, which), SHARE * m)
