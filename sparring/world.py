"""The simulated MPI: run an mpi4py program on ``p`` ranks in this process, with every fault named.

>>> import numpy as np
>>> from sparring import world
>>> def total(comm, x):
...     y = np.empty_like(x)
...     comm.Allreduce(x, y)
...     return y.tolist()
>>> outcome = world.run(total, 3, [np.array([r, 1]) for r in range(3)])
>>> outcome.results, outcome.findings, outcome.deterministic
([[3, 3], [3, 3], [3, 3]], (), True)
"""

from __future__ import annotations

from sparring.proofs.world.apart import Apart
from sparring.proofs.world.depths import smallest_depth
from sparring.proofs.world.exploration import Exploration, Seen, explore
from sparring.proofs.world.findings import Called, Finding, Kind, Outcome, Sent, Taken
from sparring.proofs.world.world import run

__all__ = [
    "Apart",
    "Called",
    "Exploration",
    "Finding",
    "Kind",
    "Outcome",
    "Seen",
    "Sent",
    "Taken",
    "explore",
    "run",
    "smallest_depth",
]
