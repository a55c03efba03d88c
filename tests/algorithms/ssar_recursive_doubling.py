"""What the tests know of ssar_recursive_doubling."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault(
        "a rank's vector is left out", {"mine = add(theirs, mine)": "mine = add(theirs, mine) if i < 1 else mine"}
    ),
    no_pattern="of sparse chunks only shifts are summed",
)
