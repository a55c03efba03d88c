"""Cho, Finkler, Serrano, Kung and Hunter, BlueConnect, SysML 2019.

Its text was not at hand.  Of x y z ranks x meet on the first level, y on the second and z on the third; vectors have n
entries.
"""

from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Theorem, Unjudged

POSITIVE = "x >= 1, y >= 1, z >= 1"


statements = [
    Theorem("words", "our own sum over its levels", "D",
            "2 n ((x - 1) / x + (y - 1) / (x y) + (z - 1) / (x y z)) = 2 (x y z - 1) / (x y z) n: as a ring of all",
            hypotheses=POSITIVE),
    Theorem("fewer-messages", "the same, of messages one after the other", "DM",
            "2 (x - 1) + 2 (y - 1) + 2 (z - 1) <= 2 (x y z - 1)", hypotheses=POSITIVE),
    Unjudged("overhead", "abstract", "M", "communication of ResNet-50 on 192 GPUs is 87 % cheaper than with others",
             MEASURED),
]  # fmt: skip

notation = {
    "blueconnect": [
        Letter("p_0", "m", "M", "how many ranks meet on the first level, here those of a node"),
        Letter("p_1", "g", "M", "on the second, here the nodes of a rack"),
    ]
}
