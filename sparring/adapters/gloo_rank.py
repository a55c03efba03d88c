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
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial, wraps
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparring.adapters import extra, hooks
from sparring.checks.ranks import guard
from sparring.checks.ranks import target as targets
from sparring.checks.ranks.sockets import Line, Message
from sparring.checks.ranks.worker import answer, listen, write_to

WARMUP = 2
"""Iterations of DDP before the one that is judged: after the first it rebuilds its buckets, and hooks wait for that."""
TINY = 1e-9
"""Megabytes of a bucket, so that it holds one weight."""
LONG = timedelta(hours=1)
"""The driver reports a hang, and ends it."""


def main(folder: Path, size: int, kind: str) -> NoReturn:
    """Fork the ranks and watch them."""
    guard.ask_kernel(guard.ADOPTS, 1)
    extra.torch("_dynamo" if kind != "function" else "")  # DDP imports that when it is made

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
        line.send(answer(worlds, jobs.get(), LOADERS[kind]))


class Worlds:
    """A new default group of the first ranks for each example, which meets nothing that another left behind.

    A group is held for one example more.  A hook's callbacks may hold it, too, and run in a thread of the group, which
    aborts the process if it is the last to let go.

    ``store``: the store by which ranks find each other; ``number``: how many groups of each size there have been.
    """

    def __init__(self, store: Any, rank: int) -> None:
        self.store, self.rank, self.number = store, rank, Counter[int]()
        self.before: Any = None

    def new(self, ranks: int, *, trace: bool) -> tuple[Any, None]:
        """Make the group; collective on the first ``ranks`` ranks."""
        dist = extra.torch("distributed")
        if dist.is_initialized():
            self.before = dist.group.WORLD
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


def hook(name: str, warm_up: int = WARMUP) -> type:
    """Return a class whose instances send a gradient through DDP and its hook, and return the sum over all ranks."""
    return type("Hooked", (Hooked,), {"given": staticmethod(targets.load(name)), "warm_up": warm_up})


LOADERS: Mapping[str, Callable[[str], Any]] = {
    "function": function,
    "hook": hook,
    "new hook": partial(hook, warm_up=0),
}
"""How targets of each kind are loaded."""


class Hooked:
    """A model under DDP. ``given``: the hook, ``f(group, bucket, **params)`` or a class.

    ``warm_up``: iterations before the first call; ``buckets``: how many weights the model has.
    """

    given: Any
    warm_up: int

    def __init__(self, group: Any, n: int, *, buckets: int = 1, **params: Any) -> None:
        self.group, self.model, self.buckets, self.dtype = group, None, buckets, np.dtype(np.float64)
        self.hook, self.kept = made(self.given, group, n, params)

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of all ranks' ``x``; without entries there is no gradient to reduce."""
        torch, self.dtype = extra.torch(), x.dtype
        if not x.size:
            return x
        gs = [part.reshape(matrix(len(part))) for part in torch.from_numpy(x).tensor_split(self.buckets) if len(part)]
        if self.model is None:
            self.model = model(gs, self.group, self.hook)
            for _ in range(self.warm_up):
                gradient(self.model, gs)
        mean: NDArray[Any] = gradient(self.model, gs).numpy()
        total: NDArray[Any] = mean.astype(np.float64) * self.group.size()
        return total.astype(x.dtype)

    @property
    def residual(self) -> Any:
        """What a hook that is a class shows it has kept; where it was never called, it does not know the dtype."""
        left = array(getattr(self.kept, "residual", None))
        return left if self.model or left is None else left.astype(self.dtype)


def made(given: Any, group: Any, n: int, params: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the hook as DDP takes it, a function with a name, and the instance where it is a class."""
    if given is hooks.NoHook:
        return None, None
    if isinstance(given, type):
        instance = given(group, n, **params)
        return lambda group, bucket: instance(bucket), instance

    @wraps(given)
    def named(group: Any, bucket: Any) -> Any:
        return given(group, bucket, **params)

    return named, None


def matrix(n: int) -> tuple[int, int]:
    """Return the shape of ``n`` entries nearest to a square: hooks may treat matrices otherwise than vectors.

    >>> matrix(12), matrix(7)
    ((3, 4), (1, 7))
    """
    rows = next(rows for rows in range(math.isqrt(n), 0, -1) if n % rows == 0)
    return rows, n // rows


def model(gs: Sequence[Any], group: Any, hook: Any) -> Any:
    """Return a model of weights, shaped as ``gs``, under DDP; the loss sums products with these.

    Each weight is a bucket of its own.  ``hook``: None for what DDP does by itself.
    """
    nn = extra.torch("nn")
    weights = type("Weights", (nn.Module,), {"forward": lambda self, gs: sum(map(weighed, self.weights, gs))})()
    weights.weights = nn.ParameterList([g * 0 for g in gs])
    made = nn.parallel.DistributedDataParallel(weights, process_group=group, bucket_cap_mb=TINY)
    if hook:
        made.register_comm_hook(group, hook)
    return made


def weighed(weight: Any, g: Any) -> Any:
    """Return what a weight adds to the loss."""
    return (weight * g).sum()


def gradient(model: Any, gs: Sequence[Any]) -> Any:
    """Return what DDP leaves as the gradient, as a vector, where this rank's own are ``gs``."""
    model.zero_grad()
    model(gs).backward()
    return extra.torch().cat([weight.grad.reshape(-1) for weight in model.parameters()])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
