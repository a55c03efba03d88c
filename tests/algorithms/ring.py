"""What the tests know of ring."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=(
        "a rank's vector is left out",
        "np.add(inbox, x[here], out=y[here])",
        "np.add(inbox, x[here] * (i < p - 2), out=y[here])",
    ),
    aimed=[Fault("in place", "if same_memory(x, y) else None", "if False else None")],
    gone_through=True,
    words=lambda p, n, k: 2 * (n - n // p),
)
