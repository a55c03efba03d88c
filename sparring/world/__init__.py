"""The simulated MPI: run an mpi4py program on ``p`` ranks in this process, with every fault named.

Read ``simulation`` first, which runs a target; then ``core``, where ranks are scheduled and
messages matched; then ``interface``, which is ``mpi4py`` as a target sees it.  The other modules keep ranks apart.

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

from sparring.world.buffer_depth import smallest_depth
from sparring.world.core.findings import Called, Finding, Kind, Outcome, Sent, Taken, Waiting
from sparring.world.exploration import Exploration, Seen, explore
from sparring.world.rank_state import Apart
from sparring.world.simulation import run

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
    "Waiting",
    "explore",
    "run",
    "smallest_depth",
]
