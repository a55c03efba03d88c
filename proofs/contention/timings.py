"""A timing in which two transfers overlap: found by z3, judged by rules that are written down a second time.

All that happens after the step of the later transfer is left out: it can wait until both are over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import z3

from sparring.errors import Undecided
from sparring.proofs.contention.overlaps import Overlap
from sparring.proofs.contention.traffic import Traffic, Transfer
from sparring.proofs.logic.symbolic import EFFORT

Post = tuple[int, int]
"""A rank and a step."""


class Timing(NamedTuple):
    """The times of posts, waits and transfers, counted from 0 in units without meaning."""

    posts: Mapping[Post, int]
    """When a rank posts a step's operations."""
    waits: Mapping[Post, int]
    """When the rank has waited for a step's operations."""
    begins: Mapping[Transfer, int]
    ends: Mapping[Transfer, int]

    @property
    def length(self) -> int:
        """The time at which the last transfer ends."""
        return max(self.ends.values(), default=0)


def timing(traffic: Traffic, overlap: Overlap, sends: str) -> Timing | None:
    """Return a shortest timing in which the two transfers overlap; None where there is none.

    Raises Undecided where z3 gives up.
    """
    steps = max(overlap.first.t, overlap.second.t) + 1
    short = Traffic(traffic.p, traffic.steps[:steps])
    question = Question(short, sends)
    question.overlap(overlap.first, overlap.second)
    return next(filter(None, (question.within(limit) for limit in (*range(2, 2 * steps + 3), None))), None)


class Question:
    """The rules of a timing as z3 reads them."""

    def __init__(self, traffic: Traffic, sends: str) -> None:
        self.solver = z3.Solver()
        self.solver.set("rlimit", EFFORT)
        self.traffic = traffic
        ranks, steps = range(traffic.p), range(len(traffic.steps))
        self.post = {(r, t): z3.Int(f"post_{r}_{t}") for r in ranks for t in steps}
        self.wait = {(r, t): z3.Int(f"wait_{r}_{t}") for r in ranks for t in steps}
        transfers = list(traffic.transfers())
        self.begin = {m: z3.Int(f"begin_{m.t}_{m.src}_{m.dst}") for m in transfers}
        self.end = {m: z3.Int(f"end_{m.t}_{m.src}_{m.dst}") for m in transfers}
        for at, post in self.post.items():
            self.solver.add(post <= self.wait[at], self.wait.get((at[0], at[1] - 1), 0) <= post)
        for m in transfers:
            self.transfer(m, sends)
        for one, other in combinations(transfers, 2):
            if one.src == other.src:
                self.solver.add(z3.Or(self.end[one] <= self.begin[other], self.end[other] <= self.begin[one]))

    def transfer(self, m: Transfer, sends: str) -> None:
        """Add the rules about when a transfer may begin and must have ended."""
        source, destination = (m.src, m.t), (m.dst, m.t)
        self.solver.add(self.post[source] <= self.begin[m], self.begin[m] < self.end[m])
        self.solver.add(self.end[m] <= self.wait[destination])
        if sends == "rendezvous":
            self.solver.add(self.post[destination] <= self.begin[m], self.end[m] <= self.wait[source])

    def overlap(self, one: Transfer, other: Transfer) -> None:
        """Require that both transfers are under way at one time."""
        self.solver.add(self.begin[one] < self.end[other], self.begin[other] < self.end[one])

    def within(self, limit: int | None) -> Timing | None:
        """Return a timing in which every transfer ends by ``limit``, or None; raise Undecided where z3 gives up."""
        ends = [] if limit is None else [end <= limit for end in self.end.values()]
        answer = self.solver.check(*ends)
        if answer == z3.unknown:
            raise Undecided(f"z3 finds no timing of {len(self.end)} transfers and no proof that there is none")
        return self.read(self.solver.model()) if answer == z3.sat else None

    def read(self, model: z3.ModelRef) -> Timing:
        def values(terms: Mapping[tuple[int, ...], z3.ArithRef]) -> dict[tuple[int, ...], int]:
            return {key: model.eval(term, model_completion=True).as_long() for key, term in terms.items()}

        return Timing(*map(values, (self.post, self.wait, self.begin, self.end)))  # type: ignore[arg-type]  # same keys


def broken(traffic: Traffic, timing: Timing, sends: str) -> Iterator[str]:
    """Yield a sentence for each rule that a timing of the traffic's first steps breaks; knows nothing of z3."""
    posts, waits = timing.posts, timing.waits
    for (r, t), post in posts.items():
        if t and waits[r, t - 1] > post:
            yield f"rank {r} posts step {t} at {post}, before it has waited for step {t - 1}"
        if post > waits[r, t] or post < 0:
            yield f"rank {r} has waited for step {t} at {waits[r, t]}, before it posts it"
    steps = 1 + max((t for _, t in posts), default=-1)
    for m in Traffic(traffic.p, traffic.steps[:steps]).transfers():
        begin, end, name = timing.begins[m], timing.ends[m], describe_transfer(m)
        needs = (m.src, m.dst) if sends == "rendezvous" else (m.src,)
        ends = (m.src, m.dst) if sends == "rendezvous" else (m.dst,)
        if not begin < end:
            yield f"{name} ends at {end} and begins at {begin}"
        yield from (f"{name} begins before rank {r} has posted" for r in needs if begin < posts[r, m.t])
        yield from (f"{name} ends after rank {r} has waited for it" for r in ends if end > waits[r, m.t])
    for one, other in combinations(timing.begins, 2):
        if one.src == other.src and meet(timing, one, other):
            yield f"rank {one.src} sends {describe_transfer(one)} and {describe_transfer(other)} at one time"


def meet(timing: Timing, one: Transfer, other: Transfer) -> bool:
    """Return whether both transfers are under way at one time."""
    return max(timing.begins[one], timing.begins[other]) < min(timing.ends[one], timing.ends[other])


def describe_transfer(m: Transfer) -> str:
    """Return a transfer in words."""
    return f"the message of step {m.t} from rank {m.src} to {m.dst}"
