"""Fei et al., OmniReduce, SIGCOMM 2021.

Costs are as remembered: D is the part of the blocks in which any rank has something, S the size, b the bandwidth.
"""

from sympy import And, Eq, Le

from sparring.literature.statements import Theorem, Unjudged, no_page

statements = [
    Unjudged("time", "its cost", "M", "time = alpha + D S / b", no_page("OmniReduce")),
    Theorem("speed-up", "its cost beside the ring's, 2 (p - 1) (alpha + S / (p b))", "M",
            "without latency it is 2 (p - 1) / (p D) times as fast as the ring",
            lambda p, D, S, b: Eq(2 * (p - 1) * S / (p * b), 2 * (p - 1) / (p * D) * (D * S / b)),
            given=lambda D, b: And(D > 0, Le(D, 1), b > 0), hypotheses="0 < D <= 1, b > 0"),
]  # fmt: skip
