"""What DropCompute does to training: a perceptron on scikit-learn's digits under stragglers, beside one that waits.

    python benchmarks/dropping.py [--ranks 8] [--seeds 10] [--steps 300] [--out FILE.json]

Each rank's minibatch is cut into micro-batches, each of which takes a time drawn from a gamma distribution of
mean 1 and deviation 0.5; a rank's clock is turned by these times alone, so that a run is decided by its seed.  Every
way of dropping, and the run that waits for all, sees the same data, first weights and times: differences
are taken in pairs.  tau is the one that the ranks choose by themselves, from their first iterations.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from allreduce import cores, versions
from training import BUDGET, CONFIDENCE, CURVE, HIDDEN, asking, interval, perceptron, written

from sparring import world

MANY = 8
"""Micro-batches of a rank."""
SPREAD, REST = 0.5, 0.5
"""Deviation of a micro-batch's time, and what an iteration takes besides computing, in mean times of a micro-batch."""
SKIP, TIMED = 2, 20
"""Iterations before those that are timed, and these, of the ranks that choose tau."""
WAITS = "waits"
WAYS = {
    WAITS: ("after_backward", "fixed"),
    "after_backward, fixed": ("after_backward", "fixed"),
    "after_backward, completed": ("after_backward", "completed"),
    "between_passes, completed": ("between_passes", "completed"),
    "analytic, completed": ("analytic", "completed"),
}


class Job(NamedTuple):
    """One run."""

    way: str
    ranks: int
    seed: int
    steps: int


class Learned(NamedTuple):
    """What came of it."""

    job: Job
    losses: list[float]
    """On all training images, before every ``CURVE``-th step and at the end."""
    moments: list[float]
    """The time that has passed before each of these."""
    accuracy: float
    """On images that were kept aside, at the end."""
    completed: float
    """The part of all micro-batches that counts, once tau was chosen."""
    tau: float


class Clock:
    """Time that work takes, and nothing else."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def learn(comm: Any, job: Job) -> tuple[list[float], list[float], float, float, float]:
    """One rank's part: losses, moments, accuracy, the part that counts, tau."""
    drop_compute: Any = import_module("sparring.impl.drop_compute")  # each simulated rank has its own
    training, test = perceptron.digits(job.seed)
    shard = training.pick(slice(comm.rank, None, comm.size))
    data, times = (np.random.default_rng([job.seed, comm.rank, i]) for i in range(2))
    theta, clock = perceptron.initial(HIDDEN, job.seed), Clock()
    rule, normaliser = WAYS[job.way]
    drop = drop_compute.DropCompute(
        comm, theta.size, micro_batches=MANY, tau=float("inf") if job.way == WAITS else None, rule=rule,
        normaliser=normaliser, clock=clock, skip=SKIP, timed=TIMED,
    )  # fmt: skip
    losses, moments, counts = [], [], []
    for t in range(job.steps):
        if t % CURVE == 0 and comm.rank == 0:
            losses.append(perceptron.loss(theta, training))
            moments.append(clock.now)
        step = drop(micro_batches(theta, perceptron.minibatch(shard, data), clock, taking(times)))
        if step.mean is not None:
            theta = theta - perceptron.RATE * step.mean
        clock.now = max(comm.allgather(clock.now)) + REST
        counts += [step.completed] if t >= SKIP + TIMED else []
    share = float(np.mean(comm.allgather(float(np.mean(counts)) / MANY if counts else 1.0)))
    ended = [*losses, perceptron.loss(theta, training)], [*moments, clock.now]
    return *ended, perceptron.accuracy(theta, test), share, float(drop.tau or 0)


def taking(rng: np.random.Generator) -> Any:
    """What the two passes of each micro-batch take: a third forward, the rest backward."""
    times = rng.gamma(1 / SPREAD**2, SPREAD**2, MANY)
    return np.stack([times / 3, 2 * times / 3], axis=1)


def micro_batches(theta: Any, batch: Any, clock: Clock, times: Any) -> Any:
    """Micro-batch ``m`` of a minibatch, all of about one size; it takes its time, and yields between its passes."""
    many = len(batch.labels)

    def passes(m: int) -> Any:
        clock.now += times[m, 0]
        yield
        clock.now += times[m, 1]
        part = batch.pick(slice(m * many // MANY, (m + 1) * many // MANY))
        return perceptron.gradient(theta, part).astype(np.float32)

    return passes


def learned(job: Job) -> Learned:
    """The run on simulated ranks; raises RankFailed or Refuted where something went wrong in it."""
    outcome = world.run(learn, job.ranks, [job] * job.ranks, buffers="unbounded", budget=BUDGET).raise_if_found()
    return Learned(job, *outcome.results[0])


def main() -> None:
    options = arguments()
    jobs = [Job(way, *rest) for *rest, way in product(options.ranks, range(options.seeds), [options.steps], WAYS)]
    with ProcessPoolExecutor(cores()) as pool:
        runs = [told(one) for one in pool.map(learned, jobs)]
    if options.out:
        options.out.write_text(written(report(runs, options)), encoding="utf-8")


def told(one: Learned) -> Learned:
    """The same, after a line for the terminal."""
    job = one.job
    print(
        f"p={job.ranks} seed {job.seed} {job.way}: loss {one.losses[-1]:.4f}, accuracy {one.accuracy:.3f}, "
        f"{100 * one.completed:.1f} % completed, time {one.moments[-1]:.0f}",
        flush=True,
    )
    return one


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read; one sentence and exit code 2 for what cannot be run."""
    return asking("training with what is late dropped, beside waiting for all", ranks="8").parse_args(given)


def report(runs: Sequence[Learned], options: argparse.Namespace) -> dict[str, Any]:
    """All runs, by ranks and way, and what one must know to repeat them."""
    return {
        "schema": 1,
        "command": shlex.join(["python", "benchmarks/dropping.py", *sys.argv[1:]]),
        "settings": {"seeds": options.seeds, "steps": options.steps, "hidden": HIDDEN, "rate": perceptron.RATE,
                     "batch": perceptron.BATCH, "micro_batches": MANY, "spread": SPREAD, "rest": REST, "skip": SKIP,
                     "timed": TIMED, "every": CURVE, "confidence": CONFIDENCE},
        "versions": versions("numpy", "scikit-learn", "sparring"),
        "rows": [*rows(runs)],
    }  # fmt: skip


def rows(runs: Sequence[Learned]) -> Iterator[dict[str, Any]]:
    """A row for each number of ranks and way: its runs by seed, and their differences from those that wait."""
    grouped: dict[tuple[int, str], list[Learned]] = {}
    for one in runs:
        grouped.setdefault((one.job.ranks, one.job.way), []).append(one)
    for (ranks, way), mine in grouped.items():
        waits = grouped[ranks, WAITS]
        pairs = [*zip(mine, waits)]
        yield {
            "ranks": ranks,
            "way": way,
            "completed": [round(one.completed, 5) for one in mine],
            "tau": [round(one.tau, 5) for one in mine] if way != WAITS else None,
            "loss_above": interval([a.losses[-1] - b.losses[-1] for a, b in pairs]),
            "accuracy_above": interval([a.accuracy - b.accuracy for a, b in pairs]),
            "time_of": interval([a.moments[-1] / b.moments[-1] for a, b in pairs]),
            "loss_above_at_that_time": interval([a.losses[-1] - at(b, a.moments[-1]) for a, b in pairs]),
            "accuracy": [round(one.accuracy, 6) for one in mine],
            "losses": [[float(f"{x:.6g}") for x in one.losses] for one in mine],
            "moments": [[round(x, 2) for x in one.moments] for one in mine],
        }


def at(one: Learned, moment: float) -> float:
    """Its loss at that moment, between those that were noted."""
    return float(np.interp(moment, one.moments, one.losses))


if __name__ == "__main__":
    main()
