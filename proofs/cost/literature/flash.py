"""Li, Zhang, Ye, Zhang, Wu, Sun, Ma and Xie, Flash Communication, arXiv:2412.04964.

The table "Ring vs Flash All-Reduce" and Algorithm 1 are as public notes have them; the abstract was at hand.
"""

from sympy import Eq

from sparring.proofs.cost.statements import MEASURED, Row, Theorem, Unjudged, no_page

TABLE = 'table "Ring vs Flash All-Reduce"'
FLASH = no_page("Flash Communication")

statements = [
    Row("ring-volume", TABLE, "S", "ring", "words", lambda n, p, k: 2 * n * (p - 1) / p, given="p | n"),
    Row("ring-steps", f"{TABLE}, reduce and gather steps", "S", "ring", "messages", lambda n, p, k: (p - 1) + (p - 1)),
    Unjudged("volume", TABLE, "S", "words = 2 n (p - 1) / p, of b bits each", FLASH),
    Unjudged("steps", TABLE, "S", "1 step that reduces, and 1 that gathers", FLASH),
    Theorem("ring-volume-by-steps", TABLE, "S", "(p - 1) n / p + (p - 1) n / p = 2 n (p - 1) / p",
            lambda p, n: Eq((p - 1) * n / p + (p - 1) * n / p, 2 * n * (p - 1) / p)),
    Theorem("flash-volume-by-steps", TABLE, "S", "1 n (p - 1) / p + 1 n (p - 1) / p = 2 n (p - 1) / p",
            lambda p, n: Eq(n * (p - 1) / p + n * (p - 1) / p, 2 * n * (p - 1) / p)),
    Unjudged("quantisations", f"{TABLE}, QDQ steps", "S", "p in the ring, 2 in Flash", FLASH),
    Theorem("fewer-steps", f"{TABLE}; the comparison is ours", "DS", "2 (p - 1) >= 1 + 1",
            lambda p: 2 * (p - 1) >= 1 + 1, given=lambda p: p >= 2, hypotheses="p >= 2"),
    Unjudged("faster", "abstract", "V", "communication within a node is more than 3 times as fast", MEASURED),
    Unjudged("first-token", "abstract", "V", "the time to the first token is improved by a factor of 2", MEASURED),
]  # fmt: skip
