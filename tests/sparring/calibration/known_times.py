"""Times of a machine that is known, as if they had been measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.calibration.measuring import Times
from sparring.calibration.quantities import Quantity, quantities
from sparring.spec.core import pages

ALPHA, BETA, GAMMA, CALL = 5e-6, 2e-10, 5e-10, 1e-6
EACH = {"select": 3e-9, "merge": 2e-8, "pack": 7e-9}
NAMES = ("ring", "ring_allgather", "ring_sparse", "ring_topk")


def seconds(q: Quantity) -> float:
    """What that machine takes; algorithms are filled in by those who want them."""
    if q.what == "exchange":
        return ALPHA + BETA * q.size
    if q.what == "add":
        return CALL + GAMMA * q.size
    return EACH.get(q.what, 1e-3) * q.size


def made(p: int, hosts: list[tuple[int, int]], names: tuple[str, ...] = NAMES, *, rounds: int = 20) -> tuple[Any, ...]:
    """Times of 2 % noise, a tenth of them interrupted, their quantities and their pages."""
    rng = np.random.default_rng(p)
    found = [pages.find(name) for name in names]
    asked = quantities(p, found)
    table = np.array([[seconds(q) for q in asked]]) * (1 + 0.02 * rng.standard_normal((rounds, len(asked))))
    table = np.where(rng.random(table.shape) < 0.1, table * rng.uniform(2, 50, table.shape), table)
    return Times(table.tolist(), 1.5, 4e-8, hosts, "MPICH 5.0.2"), asked, found
