"""What the tests know of knomial_bcast."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import fourfold, pairs

DIGITS = "ceil(log(p, 4)) + ceil(log(ceiling(p/3), 4)) + ceil(log(ceiling(p/2), 4))"  # that may be 1, 2 and 3
KNOWN = Collective(
    peers=lambda p: pairs(fourfold, p),
    wrong_texts=[("where(j == 1, r ^ two, (r ^ one) ^ two)", "where(j == 1, r ^ one, (r ^ one) ^ two)")],
    steps_forms=(DIGITS, DIGITS, DIGITS, "0", "0"),
    slow_forms=True,
)
