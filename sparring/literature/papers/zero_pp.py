"""Wang, Qin, Jacobs, Holmes, Rajbhandari, Ruwase, Yan, Yang and He, ZeRO++, arXiv:2306.10209.

The abstract was at hand, and summaries of the rest.  M is the volume of a model in 16 bits.
"""

from sympy import Eq

from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Theorem, Unjudged, no_page

statements = [
    Theorem("gradients", "summaries of its table of volumes, qgZ", "S", "4 / 16 M = M / 4"),
    Theorem("iteration", "abstract: by 4x; the parts are from summaries", "SV",
            "without it M + M + M = 3 M, with it 8 / 16 M + 0 + 4 / 16 M = 3 M / 4, a fourth of that",
            lambda M: Eq(8 * M / 16 + 0 + 4 * M / 16, (M + M + M) / 4)),
    Unjudged("two-hops", "summaries of its section on qgZ", "S",
             "with a second hop between nodes each node sends as little as with one exchange of what it has added up",
             no_page("qgZ in two hops")),
    Unjudged("throughput", "abstract", "V", "throughput is up to 2.16 times as high on 384 GPUs", MEASURED),
]  # fmt: skip

notation = {"qgz": [Letter("M", "n", "S", "the size of the model; the prose above has ``M[r]`` for a magnitude")]}
