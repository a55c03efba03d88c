"""Mikami, Suganuma, U-chupala, Tanaka and Kageyama, Massively distributed SGD (2D-Torus all-reduce), arXiv:1811.05233.

Its text was not at hand.  Of x y ranks x lie in a row and y in a column; vectors have n entries.
"""

from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Row, Theorem, Unjudged

POSITIVE = "x >= 1, y >= 1"


statements = [
    Row("operations", "2D-Torus all-reduce", "M", "hierarchical", "messages", lambda n, p, k: 2 * (2 - 1),
        given="2 | p", of="2D-Torus all-reduce, x = 2: 2 (x - 1)",
        xfail="these are the operations in rows; the 2 (y - 1) in columns come on top",
        actual=lambda n, p, k: 2 * (2 - 1) + 2 * (p / 2 - 1)),
    Theorem("fewer-operations", "the same, beside 2 (N - 1) of a ring; with those in columns, which are ours", "DM",
            "2 (x - 1) + 2 (y - 1) <= 2 (x y - 1)", hypotheses=POSITIVE),
    Theorem("words", "our own sum of its three steps", "D",
            "2 (x - 1) / x n + 2 (y - 1) / y n / x = 2 (x y - 1) / (x y) n: as many words as a ring of all",
            hypotheses=POSITIVE),
    Unjudged("seconds", "abstract, version 2", "S", "ResNet-50 is trained on ImageNet in 122 seconds", MEASURED),
]  # fmt: skip

notation = {
    "hierarchical": [
        Letter("N", "p", "M", "how many GPUs there are"),
        Letter("X", "m", "M", "GPUs in a row, here the ranks of a node"),
        Letter("Y", "p / m", "M", "GPUs in a column, here how many nodes there are"),
    ]
}
