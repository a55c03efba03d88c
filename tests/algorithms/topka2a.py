"""What the tests know of topka2a."""

from tests.algorithms import Known

KNOWN = Known(
    alike=("a rank's vector is left out", "total[at] += values", "total[at] += values * (i < 2)"),
    made_with={"k": 2, "allow_nan": False},
    gone_through=True,
    no_pattern="messages do not go the same way around in every step",
)
