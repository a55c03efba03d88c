"""Jobs on torch: :func:`hook` makes an implementation a hook of DDP, :func:`watch` writes why a job hangs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.adapters import extra
from sparring.adapters.over_torch import Comm
from sparring.adapters.watch import Watch, watch
from sparring.checks.ranks import target as targets
from sparring.errors import InputError
from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.verification.algorithm import find_target

__all__ = ["Watch", "hook", "watch"]


def hook(algorithm: str = "ring_sparse", **params: Any) -> Callable[[Any, Any], Any]:
    """Return a communication hook for ``model.register_comm_hook(group, hook)`` that leaves the mean of all gradients.

    Parameters
    ----------
    algorithm : one that ``sparring list`` shows and that has an implementation.  An algorithm of sparse vectors
        gets the entries that are not zero: the mean is exact up to rounding.
    params : passed to the implementation.  For an algorithm that keeps a residual, such as ``ring_topk``, ``k``
        says how many entries of a bucket are sent; the rest is added to the next gradient.

    The group is the hook's state, None for the default one.  Messages travel on the CPU.  A hook that keeps
    residuals serves one model; where DDP makes other buckets, after the first iteration, it begins anew.

    Raises
    ------
    InputError : there is no such algorithm, or it has no implementation.
    MissingExtra : torch is not installed.
    """
    extra.there()
    page = pages.find(algorithm)
    target = find_target(page)
    if target is None:
        raise InputError(f"{algorithm!r} has no implementation: 'sparring list' shows the algorithms that have one")
    made = Reducer(page, targets.load(target), params)
    return lambda state, bucket: made.mean(state, bucket)  # noqa: PLW0108  # DDP looks at annotations


class Reducer:
    """An implementation and, if it keeps residuals, an instance of it for each bucket."""

    def __init__(self, page: Page, function: Any, params: dict[str, Any]) -> None:
        self.page, self.function, self.params = page, function, params
        self.comms: dict[Any, Comm] = {}
        self.instances: dict[tuple[Any, int, int, str], Any] = {}

    def mean(self, state: Any, bucket: Any) -> Any:
        """Return a future of the mean of the bucket over all ranks."""
        torch = extra.torch()
        buffer = bucket.buffer()
        comm = self.comms.setdefault(state, Comm(state))
        total = self.reduced(comm, state, bucket.index(), buffer.detach().cpu().numpy())
        future = torch.futures.Future()
        parts = 1 if self.page.averages else comm.Get_size()
        future.set_result(torch.from_numpy(total / total.dtype.type(parts)).to(buffer.device))
        return future

    def reduced(self, comm: Comm, state: Any, index: int, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of all ranks' vectors, or their mean where the page averages, as a new array."""
        if self.page.stateful:
            key = state, index, x.size, str(x.dtype)
            if key not in self.instances:
                self.instances[key] = self.function(comm, x.size, **self.params)
            y = self.instances[key](x)
        elif self.page.sparse:
            at = np.flatnonzero(x)
            y = self.function(comm, Sparse(at, x[at], x.size), **self.params)
        else:
            y = self.function(comm, x, **self.params)
        return y.dense() if isinstance(y, Sparse) else np.asarray(y)
