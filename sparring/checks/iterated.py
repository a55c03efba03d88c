"""A stateful target on a group of real ranks, called several times; lines carry one array a rank.

Each rank gets its vectors as rows, and answers with bytes: for each call the result, then the
residual with all its entries, as :mod:`sparring.checks.carried` has them, each after its number of
bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.checks import target as targets
from sparring.checks.carried import octets, sparse
from sparring.proofs.core.iterations import Case, Done, iterate
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from sparring.checks.group import Group


def run(group: Group, target: str, case: Case) -> list[list[Done]]:
    """What ``target`` has after each call, by rank; raises as ``group.run`` does."""
    ys = group.run(f"{__name__}:rank", case.xs, function=targets.absolute(target), k=case.k)
    return [unpacked(y) for y in ys]


def rank(comm: Any, xs: NDArray[Any], *, function: str, k: int) -> NDArray[np.uint8]:
    """What each rank does: make the target, whose module:name is given, and call it on each row."""
    parts = []
    for result, residual in iterate(targets.load(function), comm, xs, k=k):
        for x in (result, Sparse(np.arange(residual.size), residual, residual.size)):
            parts += [np.array([octets(x).size]).view(np.uint8), octets(x)]
    return np.concatenate(parts)


def unpacked(answer: NDArray[np.uint8]) -> list[Done]:
    """What :func:`rank` has put there."""
    found = []
    while answer.size:
        end = 8 + int(answer[:8].view(np.int64)[0])
        found.append(sparse(answer[8:end].copy()))
        answer = answer[end:]
    return [Done(result, residual.values) for result, residual in zip(found[::2], found[1::2])]
