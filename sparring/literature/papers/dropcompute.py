"""Giladi et al., DropCompute, NeurIPS 2023, arXiv:2306.10598.

The abstract and public code were at hand; its formulas are as remembered.  m of M micro-batches are completed before
tau, T is the expected compute time of the slowest rank, c the rest of an iteration.  The proofs are in stragglers.
"""

from sympy import And, Equivalent

from sparring.analysis.stragglers import shown
from sparring.literature.statements import CONVERGENCE, Shown, Theorem, Unjudged

RULES = "its three drop rules, named and compared by us"

statements = [
    Shown("slowest", "expected time of the slowest of p ranks, after Bailey et al.", "M",
          "E[T] = sqrt(M sigma^2) ((1 - g) Q(1 - 1 / p) + g Q(1 - 1 / (e p))) + M mu; Q inverts the normal "
          "distribution, g is Euler's constant", shown.slowest_of_two, hypotheses="normal times, p >= 2",
          xfail="an approximation, as is said: too low for two ranks alone, at most 2.6 % too high for more"),
    Shown("slowest-of-one", "the same formula", "DM", "with one rank it is M mu", shown.slowest_of_one,
          xfail="a case of its own in every program that uses it"),
    Shown("completed", "expected number of micro-batches", "M",
          "E[m] = sum of Phi((tau - i mu) / sqrt(i sigma^2)) for i = 1, ..., M", shown.completed,
          hypotheses="normal times, each end counted by itself; nearly for others"),
    Shown("rules-alike", RULES, "D", "the rules of its listing and of its programs complete as many as its theory's",
          shown.counted_alike, xfail="they complete more; see rules-order"),
    Shown("rules-order", RULES, "D",
          "theory <= check between passes <= check after backward, in what is completed and in when computing ends; at "
          "most one and two more than theory; nothing is lost where tau is never reached; all grow with tau",
          shown.ordered, hypotheses="times of 0 or more; one and two more where every forward pass takes time"),
    Shown("speed-up", "S_eff", "M", "S_eff = m / M (T + c) / (min(tau, T) + c)", shown.one_iteration,
          hypotheses="of one iteration, m and T being its own; the rule of theory"),
    Theorem("speed-up-of-means", "S_eff with expectations for m and T; the comparison is ours", "DM",
            "the mean of min(tau, T) is at most min(tau, mean of T), of two values on both sides of tau: the formula "
            "is never above what is done in the time",
            lambda a, b, tau: And((a + tau) / 2 <= tau, (a + tau) / 2 <= (a + b) / 2), hypotheses="a <= tau <= b"),
    Theorem("pays", "S_eff with tau < T; the comparison is ours", "DM",
            "S_eff > 1 if and only if the part that is dropped is below the part of the time that is saved",
            lambda M, m, T, tau, c: Equivalent(m / M * (T + c) / (tau + c) > 1, (M - m) / M < (T - tau) / (T + c)),
            hypotheses="M >= 1, 0 < tau < T, m <= M"),
    Shown("best-tau", "argmax of S_eff", "D", "the tau below E[T] that pays most does not depend on p",
          shown.independent, hypotheses="m and c do not"),
    Shown("without-limit", "as a review reports it", "S", "S_eff grows without limit with the number of ranks",
          shown.without_limit, hypotheses="E[T] is the formula above, sigma > 0, one tau for all p"),
    Theorem("fixed-normaliser", "the programs divide by p M; the comparison is ours", "D",
            "g / (p M) = m / (p M) g / m: the mean of what is completed, times the part that is",
            given=lambda m, M: And(m >= 1, M >= 1), hypotheses="m >= 1 of p M are completed"),
    Unjudged("convergence", "theorem on SGD with a random batch size", "M",
             "it converges, for convex and for other losses", CONVERGENCE),
]  # fmt: skip
