"""What the tests know of linear_gather."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import pairs, turned

KNOWN = Collective(peers=lambda p: turned(pairs(lambda r: 0, p)), wrong_texts=[("return r\n", "return p - 1 - r\n")])
