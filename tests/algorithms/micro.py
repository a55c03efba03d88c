"""What the tests know of micro."""

from fractions import Fraction

import numpy as np

from tests.algorithms import LOST, NAN, TEXTS, Fault, Known, Program, Same


def micro(calls, k, first, gain, **_):
    """With a mask of the whole vector, on exact numbers."""
    _, p, n = calls.shape
    held, least, some = np.full((p, n), Fraction(0)), Fraction(first, 10**6), Fraction(gain, 1000)
    for t, xs in enumerate(calls):
        v, at = held + xs, np.zeros(n, bool)
        for r in range(p):
            c = (t + r) % p
            mine = np.arange(c * n // p, (c + 1) * n // p)
            at[mine[abs(v[r, mine]) >= least]] = True
            if len(mine) and not at[mine].any():
                at[mine[t % len(mine)]] = True
        ratio = Fraction(int(at.sum()), k)
        least *= 1 + (some if ratio > Fraction("1.1") else some / 4 if ratio > Fraction("0.909") else -some)
        held = ~at * v
        yield [at * v.sum(0)] * p, held


PARAMS = {"k": 2, "first": 2_000_000, "gain": 500}
KNOWN = Known(
    alike=("what is not sent is forgotten", "held[at] = 0", "held[:] = 0"),
    faults=[
        Fault(
            "parts do not go round",
            "part(self._calls + self._comm.Get_rank(), p)",
            "part(self._comm.Get_rank(), p)",
            params=PARAMS,
        ),
        Fault("what equals the threshold waits", "< least))", "<= least))", params=PARAMS),
        Fault(
            "a rank that selects nothing sends nothing",
            "if not at.size and start < end:",
            "if not at.size and start > end:",
            params={"first": 2**53},
        ),
        Fault(
            "a rank's own entries decide whether a threshold grows",
            "self._followed(least, at)",
            "self._followed(least, np.flatnonzero(np.abs(x) >= least))",
            params=PARAMS,
        ),
        Fault("indices in the order of ranks", "every.sort()", "pass"),
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"first": 0}, "first = 0: it must be a whole number, 1 or more"),
        ({"first": 2**53 + 1}, "first = 9007199254740993: it must be 9007199254740992 or less"),
        ({"gain": 1000}, "gain = 1000: it must be 999 or less"),
        ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot"),
    ],
    different=[({"gain": 6}, "rank 2 has n=5, k=100, first=50000, gain=6, through=0, rank 0 n=5, k=100, first=50000")],
    theorems=[*TEXTS, "conservation", "claim: parts", "claim: thresholds"],
    wrong_texts=[
        (
            "union((yield apart(selected(v, part(call + r, p), p, call, least))))",
            "selected(v, r, p, call, least)",
            "deadlock",
            "ranks yield exchanges with different terms",
        ),
        ("return y, State(where(at, 0, v)", "return y, State(v - v", "conservation", LOST),
        ("return turn % p", "return 0 * turn % p", "claim: parts", "not another rank's"),
        ("return 10 * found > 11 * k", "return 10 * found > 12 * k", "claim: thresholds", "it grows"),
    ],
    same_texts=[Same("where(at, total(v), 0)", "total(where(at, v, 0))")],
    spoilt=[({"k": 8}, NAN, [5], True)],
    program=Program(
        micro,
        [
            {"k": k, "first": first, "gain": gain, "through": through}
            for k, gain, through in [(1, 999, "ring"), (4, 500, "two_shot"), (100, 0, "ring")]
            for first in (1, 2_000_000, 10**9)
        ],
        {
            "parts do not go round": ("apart(selected(v, part(call + r", "apart(selected(v, part(r", PARAMS),
            "a threshold shrinks always": (
                "through=params.through)\n    by = change(count(at)",
                "through=params.through)\n    by = change(0",
                PARAMS,
            ),
            "a rank looks elsewhere": (
                "apart(selected(v, part(call + r",
                "apart(selected(v, part(call + r + 1",
                PARAMS,
            ),
            "what was sent waits, too": ("return y, State(where(at, 0, v)", "return y, State(v", PARAMS),
        },
        kept=lambda state: [*state.residual],
    ),
)
