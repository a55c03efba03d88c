"""Vogels, Karimireddy and Jaggi, PowerSGD, NeurIPS 2019.

PyTorch's hook was at hand.  A gradient of n rows and m columns has approximations of rank r.
"""

from sympy import Eq, Equivalent

from sparring.proofs.cost.statements import Theorem, Unjudged, no_page

HOOK = "PyTorch's hook, powerSGD_hook.py"

statements = [
    Unjudged("words", HOOK, "V", "words = 2 (p - 1) / p r (n + m)", no_page("PowerSGD")),
    Theorem("two-allreduces", f"{HOOK}: one of n r words and one of m r; the sum is ours", "DV",
            "2 (p - 1) / p n r + 2 (p - 1) / p m r = 2 (p - 1) / p r (n + m)",
            lambda p, n, m, r: Eq(2 * (p - 1) / p * n * r + 2 * (p - 1) / p * m * r, 2 * (p - 1) / p * r * (n + m))),
    Theorem("pays", f"{HOOK}, its condition at min_compression_rate = 1, beside one dense allreduce", "DV",
            "2 (p - 1) / p r (n + m) < 2 (p - 1) / p n m if and only if r (n + m) < n m",
            lambda p, n, m, r: Equivalent(2 * (p - 1) / p * r * (n + m) < 2 * (p - 1) / p * n * m, r * (n + m) < n * m),
            given=lambda p: p >= 2, hypotheses="p >= 2"),
    Unjudged("exact", "our own statement of its algorithm", "D",
             "the result is the mean itself where the mean has rank r or less", no_page("PowerSGD")),
]  # fmt: skip
