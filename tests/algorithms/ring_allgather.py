"""What the tests know of ring_allgather."""

from tests.algorithms import FORMULAS, Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"for message in lists]": "for message in lists[:3]]"}),
    theorems=FORMULAS,
    words=lambda p, n, k: 2 * k * (p - 1),
)
