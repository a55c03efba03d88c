"""What the tests know of dsar_split_allgather."""

from tests.algorithms import Fault, Known
from tests.algorithms.two_shot import direct

KNOWN = Known(
    alike=("a rank's vector is left out", "first, *others = parts\n", "first, *others = parts[:3]\n"),
    aimed=[Fault("turns dense by another rule", "thirds * length <= 3 * m", "thirds * length < 3 * m")],
    refused=[({"thirds": "1"}, "thirds is '1': it must be a whole number, 0 or more")],
    different=[({"thirds": 1}, "thirds=1, rank 0 thirds=0")],
    gone_through=True,
    open_obligations={"blocks"},
    formulas_with=[{}, {"thirds": 1}],
    messages=direct,
    no_pattern="of sparse chunks only shifts are summed",
)
