"""Ranks of ``torch.distributed``: ``python -m sparring.adapters.gloo_rank FOLDER SIZE KIND``.

They work as :mod:`sparring.checks.ranks.worker` does, but without MPI: this process forks one for each rank.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import queue
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparring.adapters import extra
from sparring.checks.ranks import guard
from sparring.checks.ranks import target as targets
from sparring.checks.ranks.sockets import Line, Message
from sparring.checks.ranks.worker import answer, listen, write_to

WARMUP = 2
"""Iterations of DDP before the one that is judged: after the first it rebuilds its buckets, and hooks wait for that."""
LONG = timedelta(hours=1)
"""The driver reports a hang, and ends it."""


def main(folder: Path, size: int, kind: str) -> NoReturn:
    """Fork the ranks and watch them."""
    guard.ask_kernel(guard.ADOPTS, 1)
    extra.torch("_dynamo" if kind == "hook" else "")  # DDP imports that when it is made

    fork = multiprocessing.get_context("fork").Process
    ranks = [fork(target=rank, args=(folder, r, size, kind)) for r in range(size)]
    for process in ranks:
        process.start()
    guard.watch(folder / "driver", {process.pid: r for r, process in enumerate(ranks) if process.pid})


def rank(folder: Path, r: int, size: int, kind: str) -> NoReturn:
    """Answer examples until the driver hangs up."""
    guard.end_with(os.getppid())
    torch, dist = extra.torch(), extra.torch("distributed")
    write_to(folder / f"rank{r}")
    torch.set_num_threads(1)
    line = Line.to(folder / "driver")
    line.send(Message({"rank": r, "size": size, "library": f"torch {torch.__version__}", "pid": os.getpid()}))
    jobs: queue.Queue[Message] = queue.Queue()
    threading.Thread(target=listen, args=(line, jobs), daemon=True).start()
    worlds = Worlds(dist.FileStore(str(folder / "store"), size), r)
    while True:
        line.send(answer(worlds, jobs.get(), {"function": function, "hook": hook}[kind]))


class Worlds:
    """A new default group of the first ranks for each example, which meets nothing that another left behind.

    ``store``: the store by which ranks find each other; ``number``: how many groups of each size there have been.
    """

    def __init__(self, store: Any, rank: int) -> None:
        self.store, self.rank, self.number = store, rank, Counter[int]()

    def new(self, ranks: int, *, trace: bool) -> tuple[Any, None]:
        """Make the group; collective on the first ``ranks`` ranks."""
        dist = extra.torch("distributed")
        if dist.is_initialized():
            dist.destroy_process_group()
        self.number[ranks] += 1
        own = dist.PrefixStore(f"{ranks} ranks, group {self.number[ranks]}", self.store)
        dist.init_process_group("gloo", store=own, rank=self.rank, world_size=ranks, timeout=LONG)
        return dist.group.WORLD, None


def function(name: str) -> Any:
    """Return the target as a function from arrays to arrays."""
    torch = extra.torch()
    given = targets.load(name)
    if not isinstance(given, type):
        return lambda group, x, **params: array(given(group, torch.from_numpy(x), **params))

    class Instance:
        def __init__(self, group: Any, n: int, **params: Any) -> None:
            self.given = given(group, n, **params)

        def __call__(self, x: Any) -> Any:
            return array(self.given(torch.from_numpy(x)))

        @property
        def residual(self) -> Any:
            return array(getattr(self.given, "residual", None))

    return Instance


def array(y: Any) -> Any:
    """Return a tensor as an array; anything else as it is."""
    torch = extra.torch()
    return y.detach().cpu().numpy() if isinstance(y, torch.Tensor) else y


def hook(name: str) -> type:
    """Return a class whose instances send a gradient through DDP and its hook, and return the sum over all ranks."""
    return type("Hooked", (Hooked,), {"given": staticmethod(targets.load(name))})


class Hooked:
    """A model under DDP. ``given``: the hook, ``f(group, bucket, **params)`` or a class."""

    given: Any

    def __init__(self, group: Any, n: int, **params: Any) -> None:
        self.group, self.model = group, None
        self.hook = made(self.given, group, n, params)

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of all ranks' ``x``; without entries there is no gradient to reduce."""
        torch = extra.torch()
        if not x.size:
            return x
        g = torch.from_numpy(x).reshape(matrix(x.size))
        if self.model is None:
            self.model = model(g, self.group, self.hook)
            for _ in range(WARMUP):
                gradient(self.model, g)
        mean: NDArray[Any] = gradient(self.model, g).reshape(-1).numpy()
        total: NDArray[Any] = mean.astype(np.float64) * self.group.size()
        return total.astype(x.dtype)


def made(given: Any, group: Any, n: int, params: Mapping[str, Any]) -> Any:
    """Return the hook as DDP takes it, a function with a name; a class is instantiated and called with each bucket."""
    if isinstance(given, type):
        instance = given(group, n, **params)
        return lambda group, bucket: instance(bucket)

    @wraps(given)
    def named(group: Any, bucket: Any) -> Any:
        return given(group, bucket, **params)

    return named


def matrix(n: int) -> tuple[int, int]:
    """Return the shape of ``n`` entries nearest to a square: hooks may treat matrices otherwise than vectors.

    >>> matrix(12), matrix(7)
    ((3, 4), (1, 7))
    """
    rows = next(rows for rows in range(math.isqrt(n), 0, -1) if n % rows == 0)
    return rows, n // rows


def model(g: Any, group: Any, hook: Any) -> Any:
    """Return a model of one weight, shaped as ``g``, under DDP with that hook; the loss sums products with ``g``."""
    nn = extra.torch("nn")
    weight = type("Weight", (nn.Module,), {"forward": lambda self, g: (self.weight * g).sum()})()
    weight.weight = nn.Parameter(g * 0)
    made = nn.parallel.DistributedDataParallel(weight, process_group=group)
    made.register_comm_hook(group, hook)
    return made


def gradient(model: Any, g: Any) -> Any:
    """Return what DDP leaves as the gradient where this rank's own is ``g``."""
    model.zero_grad()
    model(g).backward()
    return next(model.parameters()).grad


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
