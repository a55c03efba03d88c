"""What the tests know of pat."""

from tests.algorithms import FORMULAS, FREE, MEETING, Fault, Known

KNOWN = Known(
    alike=Fault(
        "a rank's vector is left out", {"np.add(part, block, out=block)": "np.add(part * (i < 1), block, out=block)"}
    ),
    faults=[Fault("the multiples are even, too", {"range(leap, p, 2 * leap)": "range(leap, p, leap)"}, ranks=5)],
    theorems=[*FORMULAS, "partition", FREE, *MEETING],
    wrong_texts=[("return both(zeros(x, e), (x >> e) % 2 == 1)", "return zeros(x, e)", "result", "counted one by one")],
    open_costs=("ring", "crossbar", "tree", "fat_tree", "torus", "torus:k=2"),
)
