"""What the tests know of inorder_reduce."""

from collections import Counter

from tests.algorithms.collectives import Collective


def parent(v, p):
    """The parent in ``ncclGetBtree``, by the number's lowest bit and the next one."""
    bit = v & -v
    up = (v ^ bit) | (bit << 1)
    return up if up < p else v ^ bit


KNOWN = Collective(
    peers=lambda p: Counter((v, parent(v, p)) for v in range(1, p)),
    wrong_texts=[("where(j == 0, rises(r, t, p), negate(rises(r, t, p)))", "j == 0")],
)
