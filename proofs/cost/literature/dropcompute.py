"""Giladi et al., DropCompute, NeurIPS 2023, arXiv:2306.10598.

The abstract and public code were at hand; its formulas are as remembered.  m of M micro-batches are completed before
tau, T is the expected compute time of the slowest rank, c the rest of an iteration.
"""

from sympy import And, Equivalent

from sparring.proofs.cost.statements import CONVERGENCE, Theorem, Unjudged

EXPECTED = "a statement about expected compute times, which no schedule decides"

statements = [
    Unjudged("slowest", "expected time of the slowest of p ranks, after Bailey et al.", "M",
             "E[T] = sqrt(M sigma^2) ((1 - g) Q(1 - 1 / p) + g Q(1 - 1 / (e p))) + M mu, nearly; Q inverts the normal "
             "distribution, g is Euler's constant", EXPECTED),
    Unjudged("completed", "expected number of micro-batches", "M",
             "E[m] = sum of Phi((tau - i mu) / sqrt(i sigma^2)) for i = 1, ..., M, nearly", EXPECTED),
    Unjudged("speed-up", "S_eff", "M", "S_eff = m / M (T + c) / (min(tau, T) + c)", EXPECTED),
    Theorem("pays", "S_eff with tau < T; the comparison is ours", "DM",
            "S_eff > 1 if and only if the part that is dropped is below the part of the time that is saved",
            lambda M, m, T, tau, c: Equivalent(m / M * (T + c) / (tau + c) > 1, (M - m) / M < (T - tau) / (T + c)),
            given=lambda M, T, tau, m: And(M >= 1, tau < T, tau > 0, m <= M),
            hypotheses="M >= 1, 0 < tau < T, m <= M"),
    Unjudged("without-limit", "as a review reports it", "S", "S_eff grows without limit with the number of ranks",
             EXPECTED),
    Unjudged("convergence", "theorem on SGD with a random batch size", "M",
             "it converges, for convex and for other losses", CONVERGENCE),
]  # fmt: skip
