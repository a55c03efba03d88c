"""Li, Ben Basat, Vargaftik, Lao, Xu, Mitzenmacher and Yu, THC, NSDI 2024, arXiv:2302.08545.

Its text was not at hand.  Codes have b bits and a common step s, of p ranks.
"""

from sparring.analysis.compression import rounding
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Shown

statements = [
    Shown("homomorphic", "its name, and what it rests on", "M",
          "what is read of the sum of all codes is the sum of what is read of each", rounding.sum_of_codes),
    Shown("any-order", "the same; the statement is ours", "DM", "codes add up to the same bits in any order",
          rounding.any_order),
    Shown("unbiased", "its rounding by chance, on a grid of equal steps; the bound is ours", "DM",
          "the result is right in expectation, and the variance of an entry at most p s^2 / 4", rounding.unbiased,
          hypotheses="chances are independent, and multiples of a chance that all entries lie at"),
    Shown("bits", "what a sum needs; the statement is ours", "DM", "p codes add up in b + ceil(log2 p) bits",
          rounding.bits_enough, hypotheses="1 <= b <= 8"),
    Shown("bits-as-codes", "what sums of as many bits as codes would do", "D", "p codes add up in b bits",
          rounding.bits_one_fewer, hypotheses="1 <= b <= 8",
          xfail="false for two ranks already: the sum is cut off"),
]  # fmt: skip

notation = {"thc": [
    Letter("n", "p", "M", "how many workers there are"),
    Letter("d", "n", "M", "how many entries a vector has"),
    Letter("b", "bits", "M", "bits of a code"),
    Letter("g", "", "M", "how fine the table of unequal steps is; the page has equal steps"),
    Letter("p", "", "M", "the part of the entries that is cut off at both ends of the range; the page cuts off none"),
]}  # fmt: skip
