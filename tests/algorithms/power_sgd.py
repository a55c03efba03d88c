"""What the tests know of power_sgd."""

import numpy as np

from sparring.spec.library import matrices
from tests.algorithms import LOST, NAN, OTHER, PARTIAL, PLAIN, Fault, Known, Program, Same


def power_sgd(calls, columns, rank, seed, **_):
    """With QR factorisations and products: whatever signs columns have."""
    n, errors = calls.shape[2], 0
    q = np.array([matrices.normal(seed, 0, s, columns) for s in range(rank)], float).T
    for xs in calls:
        given = np.pad(xs, ((0, 0), (0, -n % columns))).reshape(len(xs), -1, columns) + errors
        mean = given.mean(0)
        p = np.linalg.qr(mean @ np.linalg.qr(q)[0])[0]
        q = mean.T @ p
        errors = given - p @ q.T
        errors.reshape(len(xs), -1)[:, n:] = 0
        yield [(p @ q.T).reshape(-1)[:n]] * len(xs), errors.reshape(len(xs), -1)[:, :n]


PARAMS = {"columns": 3, "rank": 2, "rate": 0}
SQUARE = {"columns": 5, "rank": 2, "rate": 0, "epsilon": 0}
KNOWN = Known(
    alike=("a part is not delivered", "held[self._n :] = 0", "held[self._n - 1 :] = 0"),
    faults=[
        Fault(
            "each rank draws a factor of its own",
            "drawn(self._seed, ",
            "drawn(self._seed + self._comm.Get_rank(), ",
            params=PARAMS,
        ),
        Fault(
            "the second factor is a sum",
            "self._mean(crossed(m, p).ravel())",
            "self._sum(self._comm, crossed(m, p).ravel(), validate=False)",
            params=PARAMS,
        ),
        Fault(
            "columns of zeros stay, after a first call that draws them",
            "q[gone] = np.bitwise_count(draws).astype(q.dtype) - q.dtype.type(32)",
            "if not self._calls:\n            q[gone] = np.bitwise_count(draws).astype(q.dtype) - q.dtype.type(32)",
            params=PARAMS,
        ),
        Fault(
            "sums down a column are numpy's",
            "return np.stack([halved(one.T) for one in sums])",
            "return p @ m",
            params=PARAMS,
        ),
    ],
    aimed=[
        Fault("a second block", "m[i : i + size] -= some", "m[:size] -= some"),
        Fault("a second column", "rest = columns[s + 1 :]", "rest = columns[s + 2 :]"),
        Fault("another epsilon", "columns.dtype.type(epsilon) /", "columns.dtype.type(10) /"),
    ],
    made_with={"rate": 0, "allow_nan": False},
    refused=[
        ({"rank": 1.5}, "rank = 1.5: it must be a whole number, 1 or more"),
        ({"epsilon": -1}, "epsilon = -1: it must be a whole number, 0 or more"),
        ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot"),
    ],
    different=[
        ({"seed": 1}, "rank 2 has n=5, rank=1, columns=0, rate=2, epsilon=10, seed=1"),
        ({"through": "two_shot"}, "through=1"),
    ],
    theorems=[*PLAIN, "conservation", "claim: result", "claim: partition"],
    wrong_texts=[
        (
            "(yield allreduce(crossed(m, left, shape), through=params.through)) / p",
            "(yield allreduce(crossed(m, left, shape), through=params.through))",
            "result",
            OTHER,
        ),
        (
            "(yield allreduce(crossed(m, left, shape), through=params.through))",
            "crossed(m, left, shape)",
            "agreement",
            PARTIAL,
        ),
        ("State(m - y, right)", "State(m - m, right)", "conservation", LOST),
        ("State(m - y, right)", "State(m - y, q)", "result", "q is what a call leaves"),
        (
            "if not worth(shape.rows, shape.columns, shape.width, params.rate):\n        return (yield",
            "if not x > 0:\n        return (yield",
            "result",
            "ranks part ways",
        ),
    ],
    same_texts=[Same("State(m - y, right)", "State(x - y + state.kept, right)")],
    spoilt=[({"rate": 0}, NAN, range(8), False)],
    program=Program(
        power_sgd,
        [
            {"columns": c, "rank": r, "rate": 0, "epsilon": 0, "through": through}
            for c, r, through in [(3, 1, "ring"), (3, 2, "two_shot"), (2, 2, "ring")]
        ],
        {
            "errors are not added": ("m = x + state.kept\n    q", "m = x\n    q", SQUARE),
            "another Q on each rank": (
                "p: int, call: int, state: State, params: Params) -> Text:\n",
                "p, r, call, state, params):\n    params = params._replace(seed=params.seed + r)\n",
                SQUARE,
            ),
            "columns are not orthonormal": (
                "left = orthonormal(sums, shape.rows, params.epsilon)\n    right = (yield",
                "left = sums\n    right = (yield",
                SQUARE,
            ),
            "the sum for the mean": (
                "through=params.through)) / p\n    y =",
                "through=params.through))\n    y =",
                SQUARE,
            ),
            "all is kept": ("State(m - y, right)", "State(m, right)", SQUARE),
        },
        exact=False,
        lengths=lambda p: (12, 35, 210),
        kept=lambda state: state.kept,
    ),
    costed_with=[{"columns": 4, "rank": 2}, {"columns": 64, "through": "two_shot"}],
    other_ways={"through": "two_shot"},
    reader="matrices.py",
    reader_defects={
        "pieces of 128 rows": ("PIECE = 64", "PIECE = 128"),
        "added in a row": ("at.halved([*map(at.mul, a, b)])", "at.total([*map(at.mul, a, b)])"),
        "a length without epsilon": ("at.div(epsilon, 10**9)", "0.0"),
        "a column of zeros stays so": ("one if any(one) else", "one if q else"),
        "drawn as in the first call": ('normal(parameters["seed"], call, s, c)', 'normal(parameters["seed"], 0, s, c)'),
        "a sum and no mean": ("new = [at.div(v, p) for v in sums(crossed)]", "new = sums(crossed)"),
        "the last Q is not made orthonormal": ('qs = orthonormal(at, begun, parameters["epsilon"])', "qs = begun"),
        "factors as long as the matrix": (
            'parameters["rate"] >= m * columns',
            'parameters["rate"] > m * columns - (n == 0)',
        ),
        "the largest square within": ("math.isqrt(max(n - 1, 0)) + 1", "max(math.isqrt(n), 1)"),
        "all that is given is kept": ("[[*map(at.sub, x, y)] for x in given]", "given"),
    },
)
