"""A reducer in the style of much training code: state by name in a class, a queue, and all ranks of the world."""

import queue
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

comm = MPI.COMM_WORLD


class Compressor:
    """Selects the largest entries; what it leaves out is in ``residuals``, for all who use it."""

    residuals: dict[str, NDArray[Any]] = {}  # noqa: RUF012  # as such code has it

    @classmethod
    def compress(cls, name: str, tensor: NDArray[Any], k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The indices and values of the ``k`` largest entries."""
        tensor = tensor + cls.residuals.get(name, 0)
        chosen = np.argpartition(np.abs(tensor), -k)[-k:]
        cls.residuals[name] = tensor.copy()
        cls.residuals[name][chosen] = 0
        return chosen, tensor[chosen]


class AllReducer:
    """Takes what there is to reduce from one queue, and puts what it has reduced into another."""

    def __init__(self, density: float) -> None:
        self.density = density
        self.todo: queue.Queue[tuple[str, NDArray[Any]]] = queue.Queue()
        self.done: queue.Queue[tuple[str, NDArray[Any]]] = queue.Queue()

    def run(self) -> None:
        """Until there is nothing left to do."""
        while not self.todo.empty():
            name, tensor = self.todo.get()
            chosen, values = Compressor.compress(name, tensor, max(1, int(self.density * tensor.size)))
            total = np.zeros_like(tensor)
            for indices, part in comm.allgather((chosen, values)):
                total[indices] += part
            self.done.put((name, total / comm.size))
