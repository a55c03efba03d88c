"""Running a target in the simulated world."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from sparring.errors import InputError
from sparring.proofs.logic.terms import Table
from sparring.world import targets
from sparring.world.core.findings import Outcome
from sparring.world.core.ranks import Rank
from sparring.world.core.scheduler import Scheduler
from sparring.world.core.schedules import Path, Schedule, schedule
from sparring.world.interface.topology import Intracomm
from sparring.world.module_cache import store
from sparring.world.modules import Modules
from sparring.world.rank_state import Apart
from sparring.world.shared_state import watched


def plainly(function: Callable[..., Any], comm: Intracomm, *args: Any) -> Any:
    """Call the target."""
    return function(comm, *args)


def run(
    target: targets.Target,
    p: int,
    *per_rank_args: Sequence[Any],
    scheduler: str = "round-robin",
    seed: int = 0,
    buffers: str | int = "synchronous",
    record: bool = False,
    terms: Table | None = None,
    budget: int = 2_000_000,
    choices: Sequence[int] | None = None,
    call: Callable[..., Any] = plainly,
    modules: Sequence[str] = (),
    apart: Apart | None = None,
    node: int = 0,
) -> Outcome:
    """Run ``target`` on ``p`` simulated ranks: rank ``r`` calls ``target(comm, *(a[r] for a in per_rank_args))``.

    Parameters
    ----------
    target : ``"pkg.mod:function"``, ``"file.py:function"`` or a function.  Each rank loads it
        afresh, or below ``sparring.impl`` as if, with all that users and small distributions of
        Python alone have written: module globals are a rank's own, as in processes.  A function
        has globals of its own, one level deep; what it imports, too.
    p : number of ranks, at least 1.
    per_rank_args : sequences of ``p`` values each.
    scheduler : ``"round-robin"``; ``"seeded"``: random choices that depend on ``seed`` alone; or
        ``"adversarial"``: of what MPI leaves open, always what programs count on least.
    buffers : when a standard send is complete.  ``"synchronous"``: when its receive is found;
        ``"unbounded"``: at once; a number ``d``: at once while fewer than ``d`` messages of its
        source, destination and communicator have found no receive; ``"any"``: where a run is about
        to choose among the ways that MPI leaves open, either is one of them.
    record : keep a copy of every message's payload.
    terms : the table that the inputs' terms are of; every 64-bit integer sent from rank to rank
        must then be one of its terms.
    budget : MPI calls of all ranks together, after which the run is stopped with a finding.
    choices : which ways to take, one after the other, of those that MPI leaves open, as an
        exploration tells them; where they end, the first.  Instead of a ``scheduler``.
    call : ``call(loaded target, comm, *args)`` is what each rank does; by default it calls the target.
    modules : further top-level modules of which each rank imports its own, as those of a program in several files.
    apart : what else each rank has for its own, the environment for instance; by default nothing.
    node : how many ranks, one after the other, are on one machine; by default all.

    Returns
    -------
    Outcome : results, findings, messages.  What the target does wrong is a finding, never raised.

    Raises
    ------
    InputError : an argument is not as above, or there is no such target.

    >>> def swap(comm, x):
    ...     y = x.copy()
    ...     comm.Sendrecv(x, 1 - comm.rank, recvbuf=y, source=1 - comm.rank)
    ...     return y.tolist()
    >>> import numpy as np
    >>> run(swap, 2, [np.array([1.0]), np.array([2.0])]).results
    [[2.0], [1.0]]

    >>> def both_send_first(comm):
    ...     x = np.zeros(1)
    ...     comm.Send(x, 1 - comm.rank)
    ...     comm.Recv(x, 1 - comm.rank)
    >>> for finding in run(both_send_first, 2).findings:
    ...     print(finding)  # doctest: +ELLIPSIS
    deadlock: rank 0 waits in Send to rank 1 (<doctest...>:3) -> rank 1 waits in Send to rank 0 (...:3) -> rank 0
    >>> run(both_send_first, 2, buffers="unbounded").findings
    ()
    """
    chosen = schedule(scheduler, seed) if choices is None else Path(choices)
    options: dict[str, Any] = {"record": record, "terms": terms, "budget": budget, "call": call, "modules": modules}
    options |= {"apart": apart, "node": node}
    return run_along(chosen, target, p, per_rank_args, buffers, **options)


def run_along(
    chosen: Schedule,
    target: targets.Target,
    p: int,
    per_rank_args: Sequence[Sequence[Any]],
    buffers: str | int,
    *,
    record: bool = False,
    terms: Table | None = None,
    budget: int = 2_000_000,
    call: Callable[..., Any] = plainly,
    modules: Sequence[str] = (),
    apart: Apart | None = None,
    node: int = 0,
) -> Outcome:
    """Run as ``run`` does, with a schedule made already."""
    _check(p, per_rank_args, buffers, budget)
    if node < 0:
        raise InputError(f"node={node} ranks: at least 1, or 0 for all")
    roots = [*targets.roots(target), *modules]
    with (
        no_way_out(),
        seldom_collecting(),
        store(target) as kept,
        nullcontext() if targets.ours(target) else watched(target, apart or Apart()) as watch,
        Modules(p, roots, kept.common, watch.module if watch else None) as swapped,
    ):

        def enter(r: int) -> None:
            swapped.enter(r)
            if watch:
                watch.enter(r)

        def main(rank: Rank) -> Any:
            rank.world_comm = Intracomm(rank, 0, range(p))
            rank.world_comm.Set_name("MPI_COMM_WORLD")
            function = kept.load(rank.number, swapped)
            swapped.settle()
            return call(function, rank.world_comm, *(arg[rank.number] for arg in per_rank_args))

        world = Scheduler(p, chosen, enter, *depth(buffers), record=record, terms=terms, budget=budget, node=node)
        outcome = world.run(main)
        return replace(outcome, shared=watch.changed()) if watch else outcome


@contextmanager
def no_way_out() -> Iterator[None]:
    """Make ``os._exit``, which would end the process that all ranks share, raise SystemExit in the block."""
    real = os._exit
    os._exit = sys.exit  # type: ignore[assignment]  # as long as ranks run here
    try:
        yield
    finally:
        os._exit = real


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for cycles seldom in the block: a run makes many objects and few cycles."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def depth(buffers: str | int) -> tuple[int, bool]:
    """Return how many messages of a channel MPI copies, and whether it may copy more.  Raises InputError."""
    match buffers:
        case "synchronous":
            return 0, False
        case "unbounded":
            return sys.maxsize, False
        case "any":
            return 0, True
        case int(d) if d >= 0 and d is not True:
            return d, False
    raise InputError(f"no buffers {buffers!r}: synchronous, unbounded, any, or a number of messages, at least 0")


def _check(p: int, per_rank_args: Sequence[Sequence[Any]], buffers: str | int, budget: int) -> None:
    if p < 1:
        raise InputError(f"p={p} ranks: at least 1")
    for i, arg in enumerate(per_rank_args):
        if len(arg) != p:
            raise InputError(f"argument {i} has {len(arg)} values for {p} ranks: one for each is needed")
    depth(buffers)
    if budget < 1:
        raise InputError(f"budget={budget} MPI calls: at least 1")
