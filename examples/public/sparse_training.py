"""What the adapters of gtopkssgd and Ok-Topk share: both have an ``AllReducer`` that is fed by a queue.

Nothing of its reduction is changed.  Replaced is what the code needs beside that: a GPU (``torch.cuda.synchronize``,
``Tensor.cuda``), ``numpy.int`` of old versions of numpy, its communicator, and its timers, which need Python 2.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

torch: Any = import_module("torch")


def theirs(variable: str) -> tuple[Any, Any]:
    """The modules ``allreducer`` and ``compression`` from the folder that an environment variable names."""
    vars(np)["int"] = int  # as numpy had it until 1.24
    torch.cuda.synchronize = lambda device=None: None
    torch.Tensor.cuda = lambda self, *_, **__: self
    sys.path.insert(0, os.environ[variable])
    return import_module("allreducer"), import_module("compression")


class Reducer:
    """``T(comm, n, k)`` with n and k at least 1: a vector goes into their queue, and comes from their outputs."""

    allreducer: ClassVar[Any]
    compressor: ClassVar[Any]

    def __init__(self, comm: Any, n: int, k: int) -> None:
        for kept in ("residuals", "zero_conditions", "values", "indexes"):
            getattr(self.compressor, kept).clear()
        self.todo: queue.Queue[str] = queue.Queue()
        self.reducer = self.allreducer.AllReducer(
            [("layer", torch.zeros(n, requires_grad=True))], threading.Lock(), threading.Lock(), self.compressor,
            sparse=True, density=(k + 0.5) / n, msg_queue=self.todo, msg_queue2=queue.Queue(),
        )  # fmt: skip
        self.reducer._comm, self.reducer._profiling = comm, False
        self.prepare(comm)

    def prepare(self, comm: Any) -> None:
        """What is set besides before the first call."""

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        self.reducer.add_tensor("layer", torch.from_numpy(x.copy()))
        self.todo.put("layer")
        self.todo.put("STOP")
        self.reducer.run()
        y: NDArray[Any] = self.reducer.get_result("layer").detach().numpy().copy()
        return y

    @property
    def residual(self) -> NDArray[Any]:
        """What was left out."""
        kept: NDArray[Any] = self.compressor.residuals["layer"].numpy()
        return kept
