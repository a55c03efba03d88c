"""Li, Zhang, Kang, Xu, Qian, Xie and Ma, Flash Communication V2, arXiv:2508.03760.

The abstract was at hand; how bits are laid out and what is kept of outliers was not.
"""

from sparring.proofs.cost.statements import MEASURED, Unjudged, no_page

V2 = no_page("Flash Communication V2")

statements = [
    Unjudged("bit-splitting", "abstract", "V", "irregular bit widths are decomposed into basic units", V2),
    Unjudged("spike-reserving", "abstract", "V",
             "minima and maxima are kept as floating-point numbers, so that the rest has a smaller range", V2),
    Unjudged("two-bits", "abstract", "V", "quantization goes down to 2 bits", MEASURED),
    Unjudged("faster", "abstract", "V", "allreduce is 3.2 times as fast, and all-to-all 2 times", MEASURED),
]  # fmt: skip
