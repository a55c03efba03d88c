"""What the tests know of deft."""

import math

import numpy as np

from tests.algorithms import LOST, NAN, TEXTS, Fault, Known, Program


def length(v):
    """The norm of a vector, whose squares are added up as the page has it: a share of k may else be another number."""
    squares = v * v
    while len(squares) > 1:
        low, high = (len(squares) + 1) // 2, len(squares) // 2
        squares = np.concatenate([squares[:high] + squares[low:], squares[high:low]])
    return math.sqrt(squares[0]) if len(squares) else 0.0


def numbers(v, ends, k):
    """How many entries of each layer this vector's norms say."""
    norms = [length(part) for part in np.split(v, ends)]
    sizes, many, rest = [len(part) for part in np.split(v, ends)], {}, sum(norms)
    for i in np.argsort(-np.array(norms), kind="stable"):
        some = math.floor((k - sum(many.values())) * (norms[i] / rest)) if rest > 0 else 0
        many[i], rest = min(max(some, 1), sizes[i]), rest - norms[i]
    return [many[i] for i in range(len(sizes))]


def deft(calls, k, layers, **_):
    """With a mask of the whole vector, by numpy's norms of split vectors."""
    _, p, n = calls.shape
    held, ends = np.zeros((p, n)), []
    for i in range(layers):
        start, end = i * n // layers, (i + 1) * n // layers
        ends += [start + c * (end - start) // p for c in range(1, p)] if (end - start) * p > n else []
        ends += [end]
    ends, whole = ends[:-1], [*range(n)]
    for t, xs in enumerate(calls):
        v, at = held + xs, np.zeros(n, bool)
        many = [numbers(one, ends, k) for one in v]
        layers_of, work = [[] for _ in range(p)], np.zeros(p)
        spans = np.split(np.array(whole), ends)
        cost = [len(span) * (math.log2(f) if f > 1 else 1) for span, f in zip(spans, many[t % p])]
        for i in np.argsort(-np.array(cost), kind="stable"):
            if many[t % p][i] == len(spans[i]):
                at[spans[i]] = True
            else:
                layers_of[work.argmin()].append(i)
                work[work.argmin()] += cost[i]
        for r in range(p):
            for i in layers_of[(t + r) % p]:
                at[spans[i][np.argsort(-abs(v[r][spans[i]]), kind="stable")[: many[r][i]]]] = True
        held = ~at * v
        yield [at * v.sum(0)] * p, held


PARAMS = {"k": 20, "layers": 4}
KNOWN = Known(
    alike=("a whole layer is no one's, and nobody sends it", "owners == NOBODY", "owners == NOBODY - 1"),
    faults=[
        Fault("rank 0 deals always", "leader(self._calls, p)", "0", params=PARAMS),
        Fault(
            "the smallest are kept",
            "first(magnitudes(v[start:end]), f)",
            "first(~magnitudes(v[start:end]), f)",
            params=PARAMS,
        ),
        Fault(
            "of equal work the last bin", "load.index(min(load))", "p - 1 - load[::-1].index(min(load))", params=PARAMS
        ),
        Fault("no share of what is left but of all", "int(left * (norms[i]", "int(k * (norms[i]", params=PARAMS),
        Fault("a long layer is one", "p if size * p > n else 1", "1", params={"k": 8, "layers": 1}),
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"layers": 2**40}, "layers = 1099511627776: it must be 16384 or less"),
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"layers": 0}, "layers = 0: it must be a whole number, 1 or more"),
        ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot"),
    ],
    different=[({"layers": 3}, "rank 2 has n=5, k=100, layers=3, through=0, rank 0 n=5, k=100, layers=16")],
    theorems=[*TEXTS, "conservation", "claim: layers", "claim: work"],
    wrong_texts=[
        (
            "(yield apart(dealt(v, p, params.layers, params.k)))[leader(call, p)]",
            "dealt(v, p, params.layers, params.k)",
            "result",
            "the result is what the page ensures",
        ),
        ("State(where(at, 0, v))", "State(v - v)", "conservation", LOST),
    ],
    spoilt=[({"k": 8, "layers": 1}, NAN, [5], True)],
    program=Program(
        deft,
        [
            {"k": k, "layers": layers, "through": through}
            for k, through in [(0, "ring"), (4, "two_shot"), (20, "ring"), (1000, "ring")]
            for layers in (1, 3, 8)
        ],
        {
            "bins do not go round": (
                "part(call + r, p), plan, params.layers, params.k))))\n    y",
                "r, plan, params.layers, params.k))))\n    y",
                PARAMS,
            ),
            "the next rank deals": (
                "params.k)))[leader(call, p)]\n    at",
                "params.k)))[leader(call + 1, p)]\n    at",
                PARAMS,
            ),
            "what was sent waits, too": ("State(where(at, 0, v))", "State(v)", PARAMS),
        },
        exact=False,
        lengths=lambda p: (1, 6, 35),
        kept=lambda state: [*state.residual],
    ),
)
