"""What the tests know of pat."""

from itertools import product

from tests.algorithms import FORMULAS, FREE, MEETING, Fault, Known


def aggregated(p):
    """PAT by its trees: a binomial tree a chunk, in which a distance's parent is that without its lowest bit."""
    steps = []
    for bit in (1 << i for i in range((p - 1).bit_length())):
        up = [(x, x & (x - 1)) for x in range(1, p) if x - (x & (x - 1)) == bit]
        pairs = {((x + c) % p, (parent + c) % p): [] for x, parent in up for c in range(p)}
        for (x, parent), c in product(up, range(p)):
            pairs[(x + c) % p, (parent + c) % p].append(c)
        steps.append({(a, b, tuple(sorted(some))) for (a, b), some in pairs.items()})
    yield from steps
    yield from [{(b, a, some) for a, b, some in step} for step in reversed(steps)]


KNOWN = Known(
    alike=("a rank's vector is left out", "np.add(part, block, out=block)", "np.add(part * (i < 1), block, out=block)"),
    faults=[Fault("the multiples are even, too", "range(leap, p, 2 * leap)", "range(leap, p, leap)", ranks=5)],
    theorems=[*FORMULAS, "partition", FREE, *MEETING],
    wrong_texts=[("return both(zeros(x, e), (x >> e) % 2 == 1)", "return zeros(x, e)", "result", "counted one by one")],
    messages=aggregated,
    open_costs=("ring", "crossbar", "tree", "fat_tree", "torus", "torus:k=2"),
)
