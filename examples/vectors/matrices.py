"""ARC-Top-K and PowerSGD as test-vectors.md tells them: vectors as matrices, and allreduces of parts of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from whole import Numbers, Played, Step, Vector, cuts, drawn, everybody

State = dict[str, Any]
PIECE = 64  # so many rows are added up in halves


class Sums:
    """Allreduces, one after the other, by `ring` or `two_shot`; `steps`: what they send."""

    def __init__(self, at: Numbers, through: str) -> None:
        self.at, self.through, self.steps = at, through, list[Step]()

    def __call__(self, xs: Sequence[Vector]) -> Vector:
        """What every rank has of the sum."""
        p, chunks = len(xs), cuts(len(xs[0]), len(xs))
        parts = [[x[cut] for cut in chunks] for x in xs]
        if p > 1 and self.through == "ring":
            for t in range(2 * (p - 1)):
                self.ring(parts, t)
        elif p > 1:
            self.steps.append(everybody(p, lambda r, d: parts[r][d]))
            own = [[self.at.total(vs) for vs in zip(*(part[c] for part in parts))] for c in range(p)]
            self.steps.append(everybody(p, lambda r, d: own[r]))
            parts = [own]
        return [v + 0.0 for part in parts[0] for v in part]

    def ring(self, parts: list[list[Vector]], t: int) -> None:
        """A step: rank r sends its chunk r - t to the next."""
        p = len(parts)
        step = [(r, (r + 1) % p, parts[r][(r - t) % p]) for r in range(p)]
        self.steps.append(step)
        for r, d, part in step:
            c = (r - t) % p
            parts[d][c] = [*map(self.at.add, part, parts[d][c])] if t < p - 1 else part


def matrix(x: Vector, columns: int) -> list[Vector]:
    """The rows, the last one filled up."""
    full = [*x, *[0.0] * (-len(x) % columns)]
    return [full[i : i + columns] for i in range(0, len(full), columns)]


def normal(*counters: int) -> float:
    """A whole number from -32 to 32."""
    return float(drawn(*counters).bit_count() - 32)


def dot(at: Numbers, a: Vector, b: Vector) -> float:
    return at.halved([*map(at.mul, a, b)])


# ARC-Top-K


def columns_of(n: int) -> int:
    """How long a row is, by the rule."""
    return max((1 << e for e in range(n.bit_length()) if n % (1 << e) == 0 and 4**e < n), default=1)


def first(scores: Vector, k: int) -> list[int]:
    """The k largest, NaN before all, of equal ones the lower index."""
    order = sorted(range(len(scores)), key=lambda i: (not math.isnan(scores[i]), -nothing(scores[i]), i))
    return sorted(order[:k])


def nothing(v: float) -> float:
    """NaN as 0, to sort by."""
    return 0.0 if math.isnan(v) else v


def selected(at: Numbers, parameters: State, xs: list[Vector], call: int, sums: Sums) -> tuple[list[bool], Vector]:
    """By entry whether it is sent, and the sum of what is."""
    n, width = len(xs[0]), parameters["sketch"]
    columns = parameters["columns"] or columns_of(n)
    zs = [[normal(parameters["seed"], call, s, c) for c in range(columns)] for s in range(width)]
    whole = [matrix(x, columns) for x in xs]
    near = sums([[dot(at, row, z) for row in rows for z in zs] for rows in whole])
    kept = first([dot(at, one, one) for one in matrix(near, width)], parameters["k"])
    found = sums([[v for i in kept for v in rows[i]] for rows in whole])
    full = [[0.0] * columns for _ in whole[0]]
    for i, row in zip(kept, matrix(found, columns)):
        full[i] = row
    return [i // columns in kept for i in range(n)], [v for row in full for v in row][:n]


def arc_top_k(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, call, feedback, sums = len(xs), state.get("call", 0), parameters["feedback"], Sums(at, parameters["through"])
    kept, mean = state.get("kept", []), state.get("mean", [])
    if feedback in ("none", "ef14"):
        given = [[*map(at.add, x, one)] for x, one in zip(xs, kept)] if kept else xs
        sent, y = selected(at, parameters, given, call, sums)
        left = [[0.0 if s else v for s, v in zip(sent, x)] for x in given] if feedback == "ef14" else []
        return Played(sums.steps, [y] * p, {"call": call + 1, "kept": left, "mean": [], "sums": []})
    if feedback == "ef21m" and mean:
        xs = [[mixed(at, m, v, parameters["momentum"]) for m, v in zip(*one)] for one in zip(mean, xs)]
    if not kept:
        y = sums(xs)
        return Played(sums.steps, [y] * p, {"call": call + 1, "kept": xs, "mean": xs, "sums": [y] * p})
    change = [[*map(at.sub, x, one)] for x, one in zip(xs, kept)]
    sent, more = selected(at, parameters, change, call, sums)
    y = nearer(at, sent, state["sums"][0], more)
    kept = [nearer(at, sent, one, by) for one, by in zip(kept, change)]
    return Played(sums.steps, [y] * p, {"call": call + 1, "kept": kept, "mean": xs, "sums": [y] * p})


def mixed(at: Numbers, mean: float, v: float, momentum: int) -> float:
    """A running mean with a new number in it."""
    return at.div(at.add(at.mul(mean, 1000 - momentum), at.mul(v, momentum)), 1000)


def nearer(at: Numbers, sent: list[bool], estimate: Vector, more: Vector) -> Vector:
    """An estimate to which is added what was sent."""
    return [at.add(e, v) if s else e for s, e, v in zip(sent, estimate, more)]


# PowerSGD


def orthonormal(at: Numbers, columns: list[Vector], epsilon: int) -> list[Vector]:
    """Unit columns, each without the parts in those before it."""
    found, rest = [], columns
    while rest:
        column, *rest = rest
        size = at.add(at.rounded(math.sqrt(dot(at, column, column))), at.div(epsilon, 10**9))
        unit = [at.div(v, size) for v in column] if size != 0 else column
        found.append(unit)
        rest = [without(at, one, unit) for one in rest]
    return found


def without(at: Numbers, column: Vector, unit: Vector) -> Vector:
    """A column without its part in a unit one."""
    part = dot(at, unit, column)
    return [at.sub(v, at.mul(part, w)) for v, w in zip(column, unit)]


def down(at: Numbers, terms: Vector) -> float:
    """A sum down a column."""
    return at.halved([at.halved(terms[i : i + PIECE]) for i in range(0, len(terms), PIECE)])


def power_sgd(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:
    """A call."""
    p, n, call, sums = len(xs), len(xs[0]), state.get("call", 0), Sums(at, parameters["through"])
    columns = parameters["columns"] or math.isqrt(max(n - 1, 0)) + 1
    m = -(-n // columns)
    width = min(parameters["rank"], m, columns)
    kept, q = state.get("kept", []), state.get("q", [])
    if width * (m + columns) * parameters["rate"] >= m * columns:
        y = [at.div(v, p) for v in sums(xs)]
        return Played(sums.steps, [y] * p, {"call": call + 1, "kept": kept, "q": q})
    given = [[*map(at.add, x, one)] for x, one in zip(xs, kept)] if kept else xs
    whole = [matrix(x, columns) for x in given]
    had = matrix(q[0], columns) if q else [[0.0] * columns] * width
    begun = [
        one if any(one) else [normal(parameters["seed"], call, s, c) for c in range(columns)]
        for s, one in enumerate(had)
    ]
    qs = orthonormal(at, begun, parameters["epsilon"])
    ps = sums([[dot(at, row, column) for column in qs for row in rows] for rows in whole])
    ps_ = orthonormal(at, matrix(ps, m), parameters["epsilon"])
    crossed = [
        [down(at, [at.mul(row[c], v) for row, v in zip(rows, column)]) for column in ps_ for c in range(columns)]
        for rows in whole
    ]
    new = [at.div(v, p) for v in sums(crossed)]
    right = matrix(new, columns)
    y = [dot(at, [*a], [*b]) for a in zip(*ps_) for b in zip(*right)][:n]
    left = [[*map(at.sub, x, y)] for x in given]
    return Played(sums.steps, [y] * p, {"call": call + 1, "kept": left, "q": [new] * p})
