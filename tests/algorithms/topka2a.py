"""What the tests know of topka2a."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault("a rank's vector is left out", {"total[at] += values": "total[at] += values * (i < 2)"}),
    made_with={"k": 2, "allow_nan": False},
    no_pattern="messages do not go the same way around in every step",
)
