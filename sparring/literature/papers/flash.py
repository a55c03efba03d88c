"""Li, Zhang, Ye, Zhang, Wu, Sun, Ma and Xie, Flash Communication, arXiv:2412.04964.

The table "Ring vs Flash All-Reduce" and Algorithm 1 are as public notes have them; the abstract was at hand.
"""

from sympy import Eq

from sparring.analysis.compression import claims
from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Row, Shown, Theorem, Unjudged, no_page

TABLE = 'table "Ring vs Flash All-Reduce"'
CODING_RING = no_page("a ring that codes what it passes on")

statements = [
    Row("ring-volume", TABLE, "S", "ring", "words", lambda n, p, k: 2 * n * (p - 1) / p, given="p | n"),
    Row("ring-steps", f"{TABLE}, reduce and gather steps", "S", "ring", "messages", lambda n, p, k: (p - 1) + (p - 1)),
    Shown("volume", TABLE, "S", "words = 2 n (p - 1) / p, of b bits each", claims.volume,
          hypotheses="8 p g | n; of codes, not of steps and zeros"),
    Shown("steps", TABLE, "S", "1 step that reduces, and 1 that gathers", claims.steps, hypotheses="p >= 2"),
    Theorem("ring-volume-by-steps", TABLE, "S", "(p - 1) n / p + (p - 1) n / p = 2 n (p - 1) / p"),
    Theorem("flash-volume-by-steps", TABLE, "S", "1 n (p - 1) / p + 1 n (p - 1) / p = 2 n (p - 1) / p"),
    Unjudged("quantisations", f"{TABLE}, QDQ steps", "S", "p in the ring, 2 in Flash", CODING_RING),
    Theorem("fewer-steps", f"{TABLE}; the comparison is ours", "DS", "2 (p - 1) >= 1 + 1", hypotheses="p >= 2"),
    Theorem("mean-square-of-ring", f"{TABLE}, QDQ steps; the comparison is ours", "DS",
            "with errors as large as spreads, a ring's p codes are off by (p + 1) / 4 of Flash's 2, in the mean square",
            lambda p: Eq(p * (p + 1) / 2 / (2 * p), (p + 1) / 4)),
    Unjudged("faster", "abstract", "V", "communication within a node is more than 3 times as fast", MEASURED),
    Unjudged("first-token", "abstract", "V", "the time to the first token is improved by a factor of 2", MEASURED),
]  # fmt: skip

notation = {
    "flash": [
        Letter("N", "p", "S", "how many GPUs there are"),
        Letter("M", "n", "S", "the volume that is to be summed"),
        Letter("C", "", "S", "the size of a piece of that volume; pieces follow one another, the page has one"),
        Letter("b", "b1, b2", "S", "bits of a code; the page has one number for each step"),
        Letter("g", "g", "S", "entries of a group"),
    ]
}
