"""What the tests know of two_shot."""

from tests.algorithms import FORMULAS, MEETING, Fault, Known


def direct(p, **_):
    """Two shots: everybody sends everybody the other's chunk, then its own."""
    pairs = [(r, d) for r in range(p) for d in range(p) if r != d]
    yield from [{(r, d, (c,)) for r, d in pairs for c in [(d, r)[i]]} for i in (0, 1) if pairs]


KNOWN = Known(
    alike=("a rank's vector is left out", "for q in range(p)], r)", "for q in range(p - (p > 2))], r)"),
    aimed=[Fault("an out that is read-only", "if not out.flags.writeable:", "if False:", module="core.arguments")],
    theorems=[*FORMULAS, "partition", "lock step on crossbar", "lock step on fat_tree", *MEETING],
    gone_through=True,
    messages=direct,
    open_costs=("ring", "tree", "torus", "torus:k=2"),
)
