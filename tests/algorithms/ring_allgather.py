"""What the tests know of ring_allgather."""

from tests.algorithms import FORMULAS, Fault, Known

KNOWN = Known(
    alike=("a rank's vector is left out", "for message in lists]", "for message in lists[:3]]"),
    aimed=[Fault("indices of 8 bytes", "n <= 1 << 31", "True", module="core.wire")],
    theorems=FORMULAS,
    words=lambda p, n, k: 2 * k * (p - 1),
)
