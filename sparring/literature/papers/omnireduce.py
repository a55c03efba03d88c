"""Fei et al., OmniReduce, SIGCOMM 2021.

Costs are as remembered: D is the part of the blocks in which any rank has something, S the size, b the bandwidth.
"""

from sympy import Eq

from sparring.analysis.compression import block_bytes
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Shown, Theorem, Unjudged

statements = [
    Shown("blocks-alone", "its project page: only non-zero data blocks are sent; bits and steps are the page's", "DV",
          "a rank sends the blocks in which it has something, and of its sums those in which anybody has",
          block_bytes.blocks_alone, hypotheses="no sum cancels"),
    Shown("part-of-all", "its cost, of ranks that are their own aggregators", "DM",
          "a rank sends at most 2 (p - 1) / p D S bytes of entries", block_bytes.part_of_all,
          hypotheses="as many blocks of each chunk have something"),
    Unjudged("time", "its cost", "M", "time = alpha + D S / b",
             "a time of streams and slots, which the page does not have; the bytes are judged beside it"),
    Theorem("speed-up", "its cost beside the ring's, 2 (p - 1) (alpha + S / (p b))", "M",
            "without latency it is 2 (p - 1) / (p D) times as fast as the ring",
            lambda p, D, S, b: Eq(2 * (p - 1) * S / (p * b), 2 * (p - 1) / (p * D) * (D * S / b)),
            hypotheses="0 < D <= 1, b > 0"),
]  # fmt: skip

notation = {
    "omnireduce": [
        Letter("N", "p", "M", "how many workers there are"),
        Letter("S", "n * width", "M", "the size of a vector, in the unit of the bandwidth"),
        Letter("D", "", "M", "the part of the blocks in which any rank has something"),
        Letter("B", "1 / beta", "M", "the bandwidth"),
        Letter("alpha", "alpha", "M", "seconds a message"),
    ]
}
