"""Douillard, Donchev, Rush, Kale, Charles and others, Streaming DiLoCo, arXiv:2501.18512.

The abstract was at hand.  Parameters are cut into F parts.
"""

from sparring.analysis.compression import outer_steps
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, MEASURED, Shown, Unjudged

statements = [
    Shown("peak", "abstract: subsets of parameters are synchronised in sequence; the factor is ours", "DV",
          "a call sends an F-th of what DiLoCo's sends", outer_steps.peak, hypotheses="F p | n"),
    Shown("mixture", "its mixing factor alpha", "M",
          "a rank goes on from alpha of its own place and 1 - alpha of the new point", outer_steps.mixture),
    Unjudged("bandwidth", "abstract", "V", "the bandwidth that is needed falls by two orders of magnitude", MEASURED),
    Unjudged("as-good", "abstract", "V", "it reaches the quality of training at data-parallel bandwidth", CONVERGENCE),
]  # fmt: skip

notation = {
    "streaming_diloco": [
        Letter("M", "p", "M", "how many replicas there are"),
        Letter("p", "", "M", "a fragment, as an index"),
        Letter("H", "", "M", "inner steps from one turn of a fragment to its next"),
        Letter("tau", "", "M", "inner steps that a sum may take; ``delay`` counts calls"),
        Letter("alpha", "mix / 1000", "M", "how much a rank keeps of where it is"),
    ]
}
