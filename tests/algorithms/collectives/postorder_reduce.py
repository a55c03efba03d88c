"""What the tests know of postorder_reduce."""

from collections import Counter

from tests.algorithms.collectives import Collective
from tests.spec.collectives.trees import binary, pairs, turned


def summed(p):
    """Along the binary tree, with the root's place and the first rank's exchanged; then to the first rank."""
    root = 2 ** (p.bit_length() - 1) - 1
    number = {0: root, root: 0}
    sends = Counter({(root, 0): int(p > 1)})
    for (src, dst), many in turned(pairs(binary, p)).items():
        sends[number.get(src, src), number.get(dst, dst)] += many
    return +sends


KNOWN = Collective(
    peers=summed,
    wrong_texts=[("where(either(r == 0, r == root(p)), root(p) - r, r)", "r")],
    slow=True,
)
