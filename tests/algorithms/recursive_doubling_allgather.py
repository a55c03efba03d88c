"""What the tests know of recursive_doubling_allgather."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"for q in range(p)]\n": "for q in range(max(1, p - 1))]\n"}),
)
