"""What the tests know of ring_topk."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=(
        "a part is not delivered",
        "for c, message in enumerate(messages)]\n    at",
        "for c, message in enumerate(messages[:2])]\n    at",
    ),
    aimed=[
        Fault(
            "the sample misleads",
            "return np.arange(size.size)\n\n\ndef reaching",
            "return np.arange(size.size - 1)\n\n\ndef reaching",
            module="core.selection",
        )
    ],
    made_with={"k": 2, "allow_nan": False},
    refused=[
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"n": -1}, "n = -1: it must be a whole number, 0 or more"),
    ],
    different=[({"n": 6}, "rank 2 has n=6 and k=6, rank 0 n=5 and k=5: all ranks need one n and k")],
    gone_through=True,
    words=lambda p, n, k: 4 * (k - k // p),
)
