"""What the tests know of oktopk."""

from fractions import Fraction

import numpy as np

from tests.algorithms import LOST, OTHER, PARTIAL, TEXTS, Fault, Known, Program, Same


def oktopk(calls, k, tau_prime, gain, **_):
    """Thresholds on whole vectors: without regions, messages and balancing."""
    left, local, least = np.zeros_like(calls[0]), [0], 0
    for t, xs in enumerate(calls):
        held = xs + left
        if t % tau_prime == 0:
            local = [kth(x, k) for x in held]
        mine = np.stack([(abs(x) >= least) & (x != 0) for x, least in zip(held, local)])
        sums = np.where(mine, held, 0).sum(0)
        if t % tau_prime == 0:
            least = kth(sums, k)
        stay = (abs(sums) >= least) & (sums != 0)
        left = np.where(mine & stay, 0, held)
        local = [least * factor(sent.sum(), k, gain) for least, sent in zip(local, mine)]
        least *= factor(stay.sum(), k, gain)
        yield [np.where(stay, sums, 0)] * len(xs), left


def factor(found, k, gain):
    """What the published code multiplies a threshold with that so many entries have reached."""
    up = Fraction(1000 + gain, 1000)
    return up if found > Fraction(4 * k, 3) else 1 / up if found < Fraction(2 * k, 3) else Fraction(1)


def kth(x, k):
    """The k-th largest magnitude; less than all where there are fewer, more where none is wanted."""
    magnitudes = sorted((abs(v) for v in x), reverse=True)
    return (magnitudes[k - 1] if k <= len(magnitudes) else 0) if k else float("inf")


PARAMS = {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2}
KNOWN = Known(
    alike=(
        "a part is not delivered",
        "return gathered(comm, mine, sizes)",
        "return gathered(comm, mine, sizes) if len(sizes) == 1 else mine",
    ),
    faults=[
        Fault(
            "what was sent is looked for among indices in no order",
            "return a[there[a]]",
            (
                "if not b.size:\n        return b\n    b = np.roll(b, b.size // 2)\n"
                "    return a[b[np.minimum(np.searchsorted(b, a), b.size - 1)] == a]"
            ),
            breaks={"conservation", "result"},
            params=PARAMS,
        ),
        Fault(
            "sums are never dealt out",
            "mine, sizes = balanced(comm, mine, sizes)",
            "pass",
            breaks={"steps"},
            params=PARAMS,
        ),
        Fault(
            "a rank that selects nothing looks for its first entry",
            "proposed = at[inner] if at.size else np.array(inner, np.int64)",
            "proposed = at[[share(c, at.size, p) for c in range(p)]][1:]",
            ranks=1,
            params=PARAMS,
        ),
        Fault(
            "one rank looks for the first bound",
            "summed = np.empty_like(proposed)",
            "summed = np.empty_like(proposed)\n    assert proposed[0] >= 0",
            ranks=1,
            params=PARAMS,
        ),
    ],
    aimed=[
        Fault("a second block", "some = x[i : i + BLOCK]", "some = x[:BLOCK][: x[i : i + BLOCK].size]"),
        Fault("past every period", "self._calls += 1", "self._calls = min(self._calls + 1, 4)"),
        Fault("another gain", "WHOLE + gain, WHOLE)", "WHOLE + 12, WHOLE)"),
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"tau": 1.5}, "tau = 1.5: it must be a whole number, 1 or more"),
        ({"trigger": -1}, "trigger = -1: it must be a whole number, 0 or more"),
    ],
    different=[
        ({"k": 3}, "rank 2 has n=5, k=3, tau=64, tau_prime=32, trigger=4, bucket=4, gain=12, rank 0 n=5, k=100")
    ],
    theorems=[*TEXTS, "conservation", "claim: thresholds", "claim: volume"],
    wrong_texts=[
        ("kept = sums.only", "sums = sums + sums; kept = sums.only", "result", OTHER),
        ("x.only(~(sent & y.support()))", "x.only(~sent)", "conservation", LOST),
        (
            "x.only(~(sent & y.support()))",
            "x.only(~(sent & reaching(sums, least)))",
            "result",
            "with what only the owner of the index has",
        ),
        ("return y, x", "return where(sent, y, 0), x", "agreement", PARTIAL),
        (
            "if uneven(sizes, params.trigger):",
            "if count(kept) > params.trigger:",
            "deadlock",
            "a rank's own condition, .*, decides what it does next",
        ),
        (
            "    if due(call, params.tau_prime):\n        least",
            "    sums = yield reduce_scatter(sums)\n    if due(call, params.tau_prime):\n        least",
            "deadlock",
            "reduce_scatter of what only the owner of an index has",
        ),
        ("apart(count(kept))", "apart(count(mine))", "deadlock", "these are not the sizes"),
        ("count(y), params), bounds)\n", "count(y), params), least)\n", "result", "bounds is what the page"),
        ("return call % period == 0", "return call % 1 == 0", "claim: thresholds", "none between"),
        (
            "    if uneven(sizes, params.trigger):\n        kept = yield balance(kept, sizes)\n",
            "",
            "claim: volume",
            "the text does not call balance",
        ),
        (
            "if uneven(sizes, params.trigger):",
            "if True or uneven(sizes, params.trigger):",
            "volume",
            "what is dealt out anew lies unevenly",
        ),
    ],
    same_texts=[
        Same("~(sent & y.support())", "~sent | ~y.support()", slow=True),
        Same('y = yield allgather(kept, through="bruck_allgather")', "y = yield allgather(kept)", slow=True),
    ],
    program=Program(
        oktopk,
        [
            {"k": k, "trigger": t, "bucket": b, "gain": gain, "tau": 3, "tau_prime": period}
            for k in (0, 1, 4, 1000)
            for t, b, gain, period in [(0, 1, 0, 2), (1, 2, 12, 2), (4, 8, 700, 5)]
        ],
        {
            "all that was selected is cleared": ("~(sent & y.support())", "~sent", {"k": 3}),
            "nothing is cleared": ("x.only(~(sent & y.support()))", "x", {"k": 3}),
            "whoever sent it clears the result": ("~(sent & y.support())", "~y.support()", {"k": 3}),
        },
        lengths=lambda p: (0, 1, p - 1, 3 * p + 2),
    ),
    costed_with=[{"trigger": 1}, {"trigger": 1, "bucket": 1}, {}],
    other_ways={"trigger": 1},
)
