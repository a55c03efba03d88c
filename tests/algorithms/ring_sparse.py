"""What the tests know of ring_sparse."""

from sparring.proofs.ring_sparse import contributions
from sparring.spec.core.numbers import where
from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "mine = chunks[given(left(r, p), i, p)]",
        "mine = chunks[given(left(r, p), 0, p)]",
    ),
    aimed=[
        Fault(
            "a chunk of several tables",
            "starts = np.arange(0, max(length, 1), BLOCK)",
            "starts = np.arange(0, max(length, 1), BLOCK) * 0",
            module="core.messages",
        ),
        Fault("a chunk of several tables", "counts[1:] -= counts[:-1]", "pass", module="core.messages"),
        Fault("turns dense", "or len(chunk) < threshold(", "or len(chunk) <= threshold(", module="core.merge"),
    ],
    gone_through=True,
    wrong_contributions=[
        {"contributions": lambda t, p: contributions(t, p) + 1},
        {"contributions": lambda t, p: contributions(t, p) - 1},
        {"contributions": lambda t, p: where(t < p - 2, t + 1, p)},
        {"contributions": lambda t, p: t + 1},
    ],
)
