"""What the tests know of recursive_doubling."""

from tests.algorithms import FORMULAS, FREE, MEETING, Fault, Known


def folded(p):
    """MPICH's numbers: how many ranks are left where even ones below ``2 rem`` fold, the rest, and who has which."""
    pof2 = 1 << p.bit_length() - 1
    rem = p - pof2
    return pof2, rem, [2 * v + 1 if v < rem else v + rem for v in range(pof2)]


def doubled(p):
    """MPIR_Allreduce_intra_recursive_doubling."""
    pof2, rem, rank = folded(p)
    if rem:
        yield {(2 * v, 2 * v + 1, (0,)) for v in range(rem)}
    for bit in range(pof2.bit_length() - 1):
        yield {(rank[v], rank[v ^ 1 << bit], (0,)) for v in range(pof2)}
    if rem:
        yield {(2 * v + 1, 2 * v, (0,)) for v in range(rem)}


KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "sums = np.add(spare, sums, out=here)",
        "sums = np.add(spare * (i < 1), sums, out=here)",
    ),
    aimed=[
        Fault("an out that overlaps", "if same_memory(x, out) and out", "if False and out", module="core.arguments"),
        Fault("a question not passed on", "self.asking or self._own", "self._own", module="core.agreement"),
    ],
    theorems=[*FORMULAS, FREE, *MEETING],
    messages=doubled,
    words=lambda p, n, k: (p.bit_length() - 1) * n,
)
