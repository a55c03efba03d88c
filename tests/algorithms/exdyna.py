"""What the tests know of exdyna."""

from fractions import Fraction

import numpy as np

from tests.algorithms import LOST, NAN, TEXTS, Fault, Known, Program


def exdyna(calls, k, first, gain, blocks, unit, **_):
    """With lists of blocks by part, on exact numbers."""
    _, p, n = calls.shape
    held, least, some = np.full((p, n), Fraction(0)), Fraction(first, 10**6), Fraction(gain, 1000)
    size = n // blocks // unit * unit
    parts = [[b for b in range(blocks) if c * blocks // p <= b < (c + 1) * blocks // p] for c in range(p)]
    block = np.repeat([*range(blocks), blocks - 1], [size] * blocks + [n - size * blocks])
    for t, xs in enumerate(calls):
        v, at, found = held + xs, np.zeros(n, bool), [0] * p
        for r in range(p):
            c = (t + r) % p
            mine = np.flatnonzero(np.isin(block, parts[c])) if size else np.arange(c * n // p, (c + 1) * n // p)
            reach = mine[abs(v[r, mine]) >= least]
            if not len(reach) and len(mine):
                reach = mine[[t % len(mine)]]
            at[reach], found[c] = True, len(reach)
        mean, moved = at.sum() // p, size * at.sum() // n
        for c in range(p - 1):
            near = Fraction(int(found[c])), Fraction(int(found[c + 1]))
            many, few = Fraction("1.05") * mean, Fraction("0.95238") * mean
            if near[0] > many and near[1] < few and 4 * p * (len(parts[c]) - 1) >= blocks:
                parts[c + 1].insert(0, parts[c].pop())
                found[c], found[c + 1] = found[c] - moved, found[c + 1] + moved
            elif near[0] < few and near[1] > many and 4 * p * (len(parts[c + 1]) - 1) >= blocks:
                parts[c].append(parts[c + 1].pop(0))
                found[c], found[c + 1] = found[c] + moved, found[c + 1] - moved
        ratio = Fraction(int(at.sum()), k)
        least *= 1 + (some if ratio > Fraction("1.1") else some / 4 if ratio > Fraction("0.909") else -some)
        held = ~at * v
        yield [at * v.sum(0)] * p, held


PARAMS = {"k": 2, "first": 2_500_000, "gain": 10, "blocks": 17, "unit": 1}
COARSE = {"k": 2, "first": 500_000, "gain": 100, "blocks": 5, "unit": 1}
AFTER = "return y, State(where(at, 0, v), least, balanced(cuts, at, params.blocks, params.unit))"
KNOWN = Known(
    alike=("a part's last entry is no rank's", "return start, end", "return start, end - 1"),
    faults=[
        Fault("bounds stay", "self._cuts[c] + way, right", "self._cuts[c], right", params=COARSE),
        Fault("bounds move the other way", "self._cuts[c] + way, right", "self._cuts[c] - way, right", params=COARSE),
        Fault("counts are not moved along", "right - moved", "right", params=COARSE),
        Fault(
            "what is left is with no part",
            "[*starts, self._n]",
            "[*starts, self._size * self._blocks]",
            params=COARSE,
        ),
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"blocks": 0}, "blocks = 0: it must be a whole number, 1 or more"),
        ({"unit": 2**32 + 1}, "unit = 4294967297: it must be at most 4294967296"),
        ({"gain": 1000}, "gain = 1000: it must be 999 or less"),
    ],
    different=[({"blocks": 6}, "rank 2 has blocks=6, unit=32, rank 0 blocks=1024, unit=32")],
    theorems=[*TEXTS, "conservation", "claim: balance", "claim: blocks"],
    wrong_texts=[
        ("union((yield apart(", "union(((", "deadlock", "ranks yield exchanges with different terms"),
        ("return y, State(where(at, 0, v)", "return y, State(v - v", "conservation", LOST),
        (AFTER, "return y, State(where(at, 0, v), least, cuts)", "claim: balance", "does not call balanced"),
    ],
    spoilt=[({"k": 8}, NAN, [5], True)],
    program=Program(
        exdyna,
        [
            {"k": k, "first": first, "gain": gain, "blocks": blocks, "unit": unit, "through": through}
            for k, gain, through in [(1, 900, "ring"), (4, 10, "two_shot")]
            for first, blocks, unit in [(1, 11, 1), (2_500_000, 17, 1), (3_000_000, 5, 2), (10**9, 16, 1)]
        ],
        {
            "bounds stay": (AFTER, "return y, State(where(at, 0, v), least, cuts)", PARAMS),
            "blocks are shorter": (AFTER, AFTER.replace("params.unit", "2 * params.unit"), COARSE),
            "what was sent waits, too": ("return y, State(where(at, 0, v)", "return y, State(v", PARAMS),
        },
        lengths=lambda p: (1, 6, 35),
        kept=lambda state: [*state.residual],
    ),
)
