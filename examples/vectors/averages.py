"""Moshpit All-Reduce, and the two-shot allreduce over links that lose packets, as test-vectors.md tells them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from whole import Numbers, Played, Step, Vector, cuts, drawn, everybody

State = dict[str, Any]


# Moshpit


def moshpit(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:  # noqa: ARG001  # calls know nothing of each other
    """A call."""
    p, m = len(xs), parameters["m"]
    sides = next(d for d in range(1, p + 1) if m**d >= p)
    cells, now, steps = {r: r for r in range(p)}, [[*x] for x in xs], []
    for t in range(parameters["rounds"] or sides):
        dying = {r: sent for r, when, sent in parameters["dead"] if when == t}
        cells = {r: z for r, z in cells.items() if dying.get(r) != -1}
        base, copies, means, before = m ** (t % sides), [], [], [[*x] for x in now]
        for key in sorted({without(z, base, m) for z in cells.values()}):
            members = [r for r in sorted(cells) if without(cells[r], base, m) == key]
            order = sorted(range(m), key=lambda i: (drawn(parameters["chance"], t, key, i), i))
            chunk = dict(zip(members, order))
            failing = {r: sent for r, when, sent in parameters["failing"] if when == t}
            one = Meeting(at, parameters, sorted(members, key=lambda r: chunk[r]), before, dying, failing)
            copies += one.copies
            means += one.means
            for r, y in one.after.items():
                now[r] = y
            for r in members:
                cells[r] = key + chunk[r] * base
        cells = {r: z for r, z in cells.items() if r not in dying}
        steps += [sorted(copies, key=lambda s: s[0]), sorted(means, key=lambda s: s[0])]
    return Played(steps, now, {})


def without(z: int, base: int, m: int) -> int:
    """A cell's number with 0 as the digit of this round."""
    return z - z // base % m * base


def value(parameters: State, name: str, r: int) -> int:
    """A rank's weight or bandwidth."""
    found: list[int] = parameters[name]
    return found[r] if r < len(found) else 1


def parts(n: int, bandwidths: list[int]) -> list[slice]:
    """Which entries each member looks after."""
    many, able = len(bandwidths), [b for b in bandwidths if b]
    scores = [Fraction(b > 0) for b in bandwidths]
    if many > 2 and able:
        time = max(Fraction(len(able) + many - 2, sum(able)), Fraction(1, min(able)))
        scores = [time * b - 1 if b else Fraction(0) for b in bandwidths]
    total = sum(scores)
    sizes = [int(n * score // total) if total else 0 for score in scores]
    while total and sum(sizes) < n:
        sizes[max(range(many), key=lambda i: (scores[i] / (sizes[i] + 1), -i))] += 1
    ends = [sum(sizes[:i]) for i in range(many + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]


class Meeting:
    """A group in a round: what is sent in its two steps, and the vectors of those that have a new one."""

    def __init__(
        self,
        at: Numbers,
        parameters: State,
        ranks: list[int],
        xs: list[Vector],
        dying: dict[int, int],
        failing: dict[int, int],
    ) -> None:
        self.at, self.ranks, self.many, self.xs = at, ranks, len(ranks), xs
        self.weights = [value(parameters, "weights", r) for r in ranks]
        self.parts = parts(len(xs[0]), [value(parameters, "bandwidths", r) for r in ranks])
        self.room = [{**failing, **dying}.get(r) for r in ranks]  # how many messages each can still send; None: all
        self.stays = [r not in dying for r in ranks]
        due = [self.others(i, self.full) if self.weights[i] else [] for i in range(self.many)]
        sent = [to[:room] for to, room in zip(due, self.room)]
        self.up = [len(a) == len(b) for a, b in zip(sent, due)]
        who = [[i for i in range(self.many) if self.counts(i, j, sent)] for j in range(self.many)]
        self.found = [self.mean(part, some) for part, some in zip(self.parts, who)]
        later = [self.others(j, lambda k, had=had: k in had and self.hears(k)) for j, had in enumerate(who)]
        rooms = [None if room is None else room - len(to) for room, to in zip(self.room, sent)]
        told = [to[:room] for to, room in zip(later, rooms)]
        self.copies: Step = [
            (ranks[i], ranks[j], xs[ranks[i]][self.parts[j]]) for i in range(self.many) for j in sent[i]
        ]
        self.means: Step = [(ranks[j], ranks[k], self.found[j]) for j in range(self.many) for k in told[j]]
        ended = [len(a) == len(b) for a, b in zip(told, later)]
        alive = [i for i in range(self.many) if self.hears(i) and (self.stays[i] or ended[i]) and self.weights[i]]
        self.after = {ranks[i]: self.with_means(i, told) for i in alive}

    def others(self, i: int, wanted: Any) -> list[int]:
        """The members after the i-th, in turn, that are wanted."""
        return [k for k in ((i + j) % self.many for j in range(1, self.many)) if wanted(k)]

    def full(self, j: int) -> bool:
        return bool(self.parts[j].start < self.parts[j].stop)

    def hears(self, k: int) -> bool:
        """Whether member k is there in the second step."""
        return self.stays[k] or self.up[k]

    def counts(self, i: int, j: int, sent: list[list[int]]) -> bool:
        """Whether member i's copy is in the mean of member j's part."""
        return bool(self.up[j] and self.full(j) and self.weights[i] and (i == j or j in sent[i]))

    def mean(self, part: slice, who: list[int]) -> Vector:
        """The mean of a part; of one copy that copy."""
        copies = [self.xs[self.ranks[i]][part] for i in who]
        if len(who) < 2:
            return copies[0] if copies else []
        weights = [self.weights[i] for i in who]
        weighed = [[self.at.mul(w, v) for v in copy] for w, copy in zip(weights, copies)]
        return [self.at.div(self.at.total(vs), sum(weights)) for vs in zip(*weighed)]

    def with_means(self, i: int, told: list[list[int]]) -> Vector:
        """Member i's vector with the means that it has."""
        y = [*self.xs[self.ranks[i]]]
        for j, part in enumerate(self.parts):
            if self.found[j] and (j == i or i in told[j]):
                y[part] = self.found[j]
        return y


# Two shots over links that lose packets


def lossy_two_shot(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, n, call, size = len(xs), len(xs[0]), state.get("call", 0) + 1, parameters["packet"]
    shards = cuts(n, p)
    packets = [[slice(a, min(a + size, cut.stop)) for a in range(cut.start, cut.stop, size)] for cut in shards]
    replicas = [[*y] for y in state.get("replicas", [[0.0] * n] * p)]
    versions = [[[*some] for some in rank] for rank in state.get("versions", [[[0] * len(c) for c in packets]] * p)]

    def arrives(step: int, src: int, dst: int, i: int) -> bool:
        return drawn(parameters["seed"], call, step, src, dst, i) * 1000 >> 64 >= parameters["lost"]

    own = parameters["aggregator"] != "ratio0"
    news = [[*y] for y in replicas]
    for c, i, cut in ((c, i, cut) for c, some in enumerate(packets) for i, cut in enumerate(some)):
        there = [q for q in range(p) if (own and q == c) or arrives(0, q, c, i)]
        moves = [mean(at, parameters, {q: xs[q][e] for q in there}, c, p) for e in range(cut.start, cut.stop)]
        held = replicas[c][cut]
        news[c][cut] = [*map(at.add, held, moves)] if parameters["running"] else moves
        for r in range(p):
            if r == c or arrives(1, c, r, i):
                replicas[r][cut], versions[r][c][i] = news[c][cut], call
    handed = [news[c][cut] for c, cut in enumerate(shards)]
    steps = [everybody(p, lambda r, d: xs[r][shards[d]]), everybody(p, lambda r, d: handed[r])] if p > 1 else []
    return Played(steps, replicas, {"call": call, "replicas": replicas, "versions": versions})


def mean(at: Numbers, parameters: State, there: dict[int, float], owner: int, p: int) -> float:
    """One entry of the owner's shard; there: by rank the copies that there are."""
    kind, found = parameters["aggregator"], 0.0
    for q, v in there.items():
        weight = at.div(1000.0, 1000 - parameters["lost"]) if kind == "ht" and q != owner else 1.0
        found = at.add(found, at.mul(v, weight))
    return at.add(at.div(found, len(there) if kind.startswith("ratio") else p), 0.0) if there else 0.0
