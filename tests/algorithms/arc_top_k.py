"""What the tests know of arc_top_k."""

from fractions import Fraction

import numpy as np

from sparring.spec.library import matrices
from tests.algorithms import NAN, PLAIN, Fault, Known, Program, Same


def arc_top_k(calls, k, columns, sketch, seed, feedback, momentum, **_):
    """With products of matrices and sorting, on exact numbers."""
    _, p, n = calls.shape
    rows, eta = -(-n // columns), Fraction(momentum, 1000)
    kept, mean = np.full((p, rows, columns), Fraction(0)), None
    for call, given in enumerate(calls):
        xs = np.full((p, rows * columns), Fraction(0))
        xs[:, :n] = given
        xs = xs.reshape(kept.shape)
        mean = xs if mean is None or feedback != "ef21m" else (1 - eta) * mean + eta * xs
        v = {"none": xs, "ef14": xs + kept}.get(feedback, mean - kept)
        drawn = np.array([*zip(*(matrices.normal(seed, call, s, columns) for s in range(sketch)))], object)
        at = np.argsort(-(v.sum(0).dot(drawn) ** 2).sum(1), kind="stable")[:k]
        if "ef21" in feedback and not call:
            at = np.arange(rows)
        sent = np.full_like(v, Fraction(0))
        sent[:, at] = v[:, at]
        kept = {"none": kept, "ef14": v - sent}.get(feedback, kept + sent)
        result = kept if "ef21" in feedback else sent
        yield [result.sum(0).reshape(-1)[:n]] * p, kept.reshape(p, -1)[:, :n] if feedback != "none" else []


ARC = {"columns": 2, "sketch": 1, "k": 1, "momentum": 300}
KNOWN = Known(
    alike=("the smallest are kept", "first(magnitudes(", "first(~magnitudes("),
    faults=[
        Fault(
            "of equal scores the higher index",
            "at = first(magnitudes(halved(np.square(near).reshape(self._rows, self._sketch))), self._k)",
            (
                "size = magnitudes(halved(np.square(near).reshape(self._rows, self._sketch)))\n"
                "        at = np.sort(size.size - 1 - first(size[::-1], self._k))"
            ),
            params={"k": 1, "columns": 2, "sketch": 1},
        ),
        Fault(
            "the old mean counts in full",
            "mean * (WHOLE - momentum) + x * momentum",
            "mean * WHOLE + x * momentum",
            module="core.running_mean",
            params={"k": 3, "columns": 4, "feedback": "ef21m", "momentum": 300},
        ),
    ],
    aimed=[
        Fault("a second block", "y[i : i + size, s] = halved(products)", "y[:size, s] = halved(products)"),
        Fault("another feedback", '(x.copy() if self._feedback == "ef21m" else None)', "None"),
        Fault("another feedback", 'if self._feedback == "ef14" and', "if False and"),
    ],
    made_with={"k": 1, "columns": 2, "feedback": "ef14", "allow_nan": False},
    refused=[
        ({"columns": 2**40}, "columns = 1099511627776: it must be 262144 or less"),
        ({"sketch": 2**40}, "sketch = 1099511627776: it must be 1024 or less"),
        ({"columns": 1.5}, "columns = 1.5: it must be a whole number, 0 or more"),
        ({"momentum": 1001}, "momentum = 1001: it must be 1000 or less, thousandths"),
        ({"feedback": "ef15"}, "feedback = 'ef15': it must be one of none, ef14, ef21, ef21m"),
    ],
    different=[({"seed": 3}, "rank 2 has n=5, k=2"), ({"feedback": "ef14"}, "one value of each")],
    theorems=[*PLAIN, "conservation", "claim: result", "claim: conservation"],
    wrong_texts=[
        (
            'State(where(at, 0, given)) if params.feedback == "ef14" else State()',
            "State(where(at, 0, given))",
            "result",
            "kept is what the state says of it",
        )
    ],
    same_texts=[Same("State(where(at, 0, given))", "State(given - where(at, given, 0))")],
    spoilt=[({"k": 1, "columns": 1}, NAN, [5], True)],
    program=Program(
        arc_top_k,
        [
            {"columns": c, "sketch": s, "k": k, "feedback": way, "momentum": 300, "through": through}
            for way in ("none", "ef14", "ef21", "ef21m")
            for c, s, k, through in [(1, 1, 1, "ring"), (3, 2, 2, "two_shot"), (2, 1, 0, "ring"), (4, 3, 99, "ring")]
        ],
        {
            "an estimate is not moved": (
                "sums = nearer(at, state.sums, sums)",
                "sums = state.sums",
                {**ARC, "feedback": "ef21"},
            ),
            "what was sent waits, too": ("where(at, 0, given)", "given", {**ARC, "feedback": "ef14"}),
            "a mean that is not scaled": ("mean * (WHOLE - momentum)", "mean * WHOLE", {**ARC, "feedback": "ef21m"}),
            "the sketch of the call before": (
                "sketched(given, shape, params.sketch, call, params.seed), through",
                "sketched(given, shape, params.sketch, call - 1, params.seed), through",
                ARC,
            ),
            "a row fewer": ("params.sketch, params.k)\n    sums", "params.sketch, params.k - 1)\n    sums", ARC),
        },
        kept=lambda state: state.kept,
    ),
    costed_with=[{"columns": 4}, {"columns": 3, "through": "two_shot", "feedback": "ef21m"}],
    other_ways={"k": 1},
    reader="matrices.py",
    reader_defects={
        "of equal rows the last": ("-nothing(scores[i]), i)", "-nothing(scores[i]), -i)"),
        "NaN after all numbers": ("(not math.isnan(scores[i]), ", "(math.isnan(scores[i]), "),
        "one row more": ("order[:k])", "order[: k + 1])"),
        "ones less 31": (".bit_count() - 32)", ".bit_count() - 31)"),
        "added in a row": ("at.halved([*map(at.mul, a, b)])", "at.total([*map(at.mul, a, b)])"),
        "a row as long as the root": ("4**e < n", "4**e <= n"),
        "what was sent waits, too": ("[0.0 if s else v for", "[v for"),
        "momentum for the mean": (
            "at.mul(mean, 1000 - momentum), at.mul(v, momentum)",
            "at.mul(mean, momentum), at.mul(v, 1000 - momentum)",
        ),
        "always by the ring": ('self.through == "ring"', "True"),
    },
)
