"""What each allreduce does to training: a perceptron on scikit-learn's digits, data-parallel, beside dense sums.

    python benchmarks/training.py [--ranks 4,8] [--seeds 10] [--steps 300] [--density 1%]
                                  [--algorithms ring,ring_topk,flash:b1=4:b2=4] [--out FILE.json]

Every run is one seed, one number of ranks and one algorithm: its implementation, on simulated
ranks, so that each byte of each message is counted.  A dense algorithm sums whole gradients.  A
lossless sparse one is given the largest entries of each rank's gradient and residual, and what a
rank does not give stays behind (error feedback); one that selects by itself keeps its own
residual.  Data, first weights and minibatches depend on the seed alone, so that two algorithms
with the same seed differ in their sums only: differences to the dense run are taken in pairs.

Parameters stand behind an algorithm's name.  Where ranks end with means that need not be alike, each
takes a step by its own gradient, and weights are averaged; with ``running=1`` a rank's weights are the first
ones and the sum of all means that it has heard of.  With ``dropping=100`` each rank is missing from a
hundred of a thousand calls of an algorithm that can be told who is dead.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from itertools import count, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from allreduce import algorithm, cores, listed, part, versions, whole, writable
from scipy import stats  # scikit-learn brings it

import sparring
from sparring import world
from sparring.impl.core import counter_rng

sys.path.append(str(Path(__file__).parents[1] / "examples"))  # the perceptron is an example of its own
perceptron: Any = import_module("digits_gradients")

DENSE = "ring"
"""The algorithm that the others are compared with."""
HIDDEN = 128
CURVE = 10
"""The loss is noted before every tenth step, and at the end."""
BUDGET = 10**8
"""MPI calls in a run; more than any makes."""
DROPPED = 2021
"""What is drawn from who is missing."""
CONFIDENCE = 0.95
"""Of the intervals."""


class Job(NamedTuple):
    """One run."""

    algorithm: str
    ranks: int
    seed: int
    steps: int
    density: float


class Learned(NamedTuple):
    """What came of it."""

    job: Job
    losses: list[float]
    """On all training images, before every ``CURVE``-th step and at the end."""
    accuracy: float
    """On images that were kept aside, at the end."""
    nbytes: float
    """That a rank sent in a step, on average; of the rank that sent most."""
    messages: float


class Variant(NamedTuple):
    """An algorithm with parameters, ``NAME:KEY=VALUE:KEY=VALUE``; ``dropping``: thousandths of a rank's calls."""

    page: Any
    params: dict[str, Any]
    dropping: int = 0

    @property
    def averages(self) -> bool:
        """Whether weights are averaged, and no gradients: ranks need not have the same ones."""
        return not self.page.agrees and not self.params.get("running")


def variant(text: str) -> Variant:
    """What this text says; raises InputError for no such algorithm, or parameter."""
    name, *given = text.split(":")
    params: dict[str, Any] = {key: int(value) if value.isdigit() else value for key, _, value in map(split, given)}
    dropping = params.pop("dropping", 0)
    return Variant(sparring.page(name, **params), params, dropping)


def split(text: str) -> tuple[str, str, str]:
    """Name, sign and value of a parameter."""
    return text.partition("=")


def reducer(comm: Any, asked: Variant, n: int, k: int) -> Any:
    """A function of a rank's vector that returns what the algorithm makes of it, as a dense vector."""
    page = asked.page
    if page.sparse:
        return impl("error_feedback").ErrorFeedback(comm, n, k=k, allreduce=page.name, **asked.params)
    if page.stateful:
        kept = {"k": k, **asked.params} if "k" in page.params else asked.params
        reduce = impl(page.name).Allreduce(comm, n, **kept)
        return (lambda x: reduce(x).dense()) if page.selecting else reduce
    function = partial(impl(page.name).allreduce, comm, **asked.params)
    return missing(comm, function, asked.dropping) if asked.dropping else function


def missing(comm: Any, function: Any, thousandths: int) -> Any:
    """The same, of which ranks are missing by chance, the same ones on all: a rank that is keeps what it has."""
    calls = count()

    def reduce(x: Any) -> Any:
        call = next(calls)
        gone = counter_rng.happens(DROPPED, call, np.arange(comm.size), thousandths=thousandths)
        return function(x, dead=[(int(r), 0, -1) for r in np.flatnonzero(gone)], chance=call)

    return reduce


def impl(name: str) -> Any:
    """A module of the implementations: each simulated rank has its own."""
    return import_module(f"sparring.impl.{name}")


def learn(comm: Any, job: Job) -> tuple[list[float], float]:
    """One rank's part of a run: the same weights on all ranks, the losses on the way and the accuracy at the end."""
    training, test = perceptron.digits(job.seed)
    shard = training.pick(slice(comm.rank, None, comm.size))
    rng = np.random.default_rng([job.seed, comm.rank])
    start = theta = perceptron.initial(HIDDEN, job.seed)
    asked = variant(job.algorithm)
    reduce = reducer(comm, asked, theta.size, max(1, round(job.density * theta.size)))
    rate = perceptron.RATE if asked.page.averages else perceptron.RATE / comm.size
    losses = []
    for t in range(job.steps):
        if t % CURVE == 0 and comm.rank == 0:
            losses.append(perceptron.loss(theta, training))
        gradient = perceptron.gradient(theta, perceptron.minibatch(shard, rng)).astype(np.float32)
        if asked.averages:
            theta = reduce((theta - rate * gradient).astype(np.float32))
        else:
            theta = (start if asked.params.get("running") else theta) - rate * reduce(gradient)
    return [*losses, perceptron.loss(theta, training)], perceptron.accuracy(theta, test)


def learned(job: Job) -> Learned:
    """The run on simulated ranks; raises RankFailed or Refuted where something went wrong in it."""
    outcome = world.run(learn, job.ranks, [job] * job.ranks, buffers="unbounded", budget=BUDGET).raise_if_found()
    losses, accuracy = outcome.results[0]
    alike = variant(job.algorithm).page.agrees
    if alike and len({(one[0][-1], one[1]) for one in outcome.results}) > 1:
        raise sparring.Refuted(f"{job}: ranks ended with different weights")
    sent = [[m.nbytes for m in outcome.messages if m.src == r] for r in range(job.ranks)]
    each = max(sent, key=sum)
    return Learned(job, losses, accuracy, sum(each) / job.steps, len(each) / job.steps)


def main() -> None:
    options = arguments()
    names = options.algorithms
    jobs = [
        Job(name, ranks, seed, options.steps, options.density)
        for ranks, seed, name in product(options.ranks, range(options.seeds), dict.fromkeys([DENSE, *names]))
    ]
    with ProcessPoolExecutor(cores()) as pool:
        runs = [told(one) for one in pool.map(learned, jobs)]
    if options.out:
        options.out.write_text(written(report(runs, options)), encoding="utf-8")


def told(one: Learned) -> Learned:
    """The same, after a line for the terminal."""
    job = one.job
    print(
        f"p={job.ranks} seed {job.seed} {job.algorithm}: loss {one.losses[-1]:.4f}, accuracy {one.accuracy:.3f}, "
        f"{one.nbytes:,.0f} bytes a step",
        flush=True,
    )
    return one


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read; one sentence and exit code 2 for what cannot be run."""
    parser = asking("training with each allreduce, beside dense sums", ranks="4,8")
    add = parser.add_argument
    add("--density", type=part, default="1%", help="the part of the entries that is kept")
    add("--algorithms", type=variants, default="", help="names; by default all that sum, and are implemented")
    return parser.parse_args(given)


def asking(description: str, ranks: str) -> argparse.ArgumentParser:
    """The options of every benchmark that trains, with this default of numbers of ranks."""
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("--ranks", type=listed(whole), default=ranks, help="numbers of ranks")
    add("--seeds", type=whole, default="10", help="how many, from 0 on")
    add("--steps", type=whole, default="300")
    add("--out", type=writable, help="a JSON file for the results")
    return parser


def variants(text: str) -> list[str]:
    """The algorithms of those names; raises ArgumentTypeError for one that there is not."""
    if not text:
        return [name for name in sparring.pages() if algorithm(sparring.page(name))]
    try:
        return [name for name in text.split(",") if variant(name)]
    except sparring.InputError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def report(runs: Sequence[Learned], options: argparse.Namespace) -> dict[str, Any]:
    """All runs, by ranks and algorithm, and what one must know to repeat them."""
    return {
        "schema": 1,
        "command": shlex.join(["python", "benchmarks/training.py", *sys.argv[1:]]),
        "settings": {"seeds": options.seeds, "steps": options.steps, "density": options.density, "hidden": HIDDEN,
                     "rate": perceptron.RATE, "batch": perceptron.BATCH, "every": CURVE, "dense": DENSE,
                     "confidence": CONFIDENCE},
        "versions": versions("numpy", "scikit-learn", "sparring"),
        "rows": [*rows(runs)],
    }  # fmt: skip


def rows(runs: Sequence[Learned]) -> Iterator[dict[str, Any]]:
    """A row for each number of ranks and algorithm: its runs by seed, and their differences from the dense ones."""
    grouped: dict[tuple[int, str], list[Learned]] = {}
    for one in runs:
        grouped.setdefault((one.job.ranks, one.job.algorithm), []).append(one)
    for (ranks, name), mine in grouped.items():
        dense = grouped[ranks, DENSE]
        yield {
            "ranks": ranks,
            "algorithm": name,
            "loss_above_dense": interval([a.losses[-1] - b.losses[-1] for a, b in zip(mine, dense)]),
            "accuracy_above_dense": interval([a.accuracy - b.accuracy for a, b in zip(mine, dense)]),
            "bytes": [round(one.nbytes, 1) for one in mine],
            "messages": [round(one.messages, 2) for one in mine],
            "accuracy": [round(one.accuracy, 6) for one in mine],
            "losses": [[float(f"{x:.6g}") for x in one.losses] for one in mine],
        }


def interval(differences: Sequence[float]) -> list[float] | None:
    """The mean of paired differences, and between what it lies by Student's t; None for a single pair."""
    many = len(differences)
    if many < 2:
        return None
    mean, spread = float(np.mean(differences)), float(np.std(differences, ddof=1))
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, many - 1)) * spread / many**0.5
    return [float(f"{x:.4g}") for x in (mean, mean - reach, mean + reach)]


def written(found: dict[str, Any]) -> str:
    """The report as JSON, one row a line."""
    lines = ",\n  ".join(json.dumps(row) for row in found["rows"])
    return json.dumps(found | {"rows": []}, indent=1).replace('"rows": []', f'"rows": [\n  {lines}\n ]') + "\n"


if __name__ == "__main__":
    main()
