"""What the tests know of ring_sparse."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=Fault(
        "a rank's vector is left out",
        {"mine = chunks[given(left(r, p), i, p)]": "mine = chunks[given(left(r, p), 0, p)]"},
    ),
)
