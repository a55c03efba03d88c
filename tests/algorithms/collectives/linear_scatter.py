"""What the tests know of linear_scatter."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import pairs

KNOWN = Collective(
    peers=lambda p: pairs(lambda r: 0, p),
    wrong_texts=[("return dst(r, t, j, p)  # the receiver's", "return r  # its own")],
)
