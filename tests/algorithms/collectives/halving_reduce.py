"""What the tests know of halving_reduce."""

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import highest, pairs, turned

KNOWN = Collective(peers=lambda p: turned(pairs(highest, p)), wrong_texts=[("r < 1 << (bit(t, p) + 1)", "r < p")])
