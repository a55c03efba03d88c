"""What the tests know of ssar_recursive_doubling."""

from sparring.proofs.ssar_recursive_doubling import contributions
from tests.algorithms import Known
from tests.algorithms.recursive_doubling import doubled

KNOWN = Known(
    alike=("a rank's vector is left out", "mine = add(theirs, mine)", "mine = add(theirs, mine) if i < 1 else mine"),
    messages=doubled,
    wrong_contributions=[
        {"contributions": lambda t, p: contributions(t, p) + 1},
        {"contributed": lambda r, t, p: contributions(t, p)},
        {"contributor": lambda r, c, t, p: r},
    ],
    no_pattern="of sparse chunks only shifts are summed",
)
