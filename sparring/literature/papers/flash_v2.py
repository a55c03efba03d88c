"""Li, Zhang, Kang, Xu, Qian, Xie and Ma, Flash Communication V2, arXiv:2508.03760.

The abstract was at hand; how bits are laid out and what is kept of outliers was not, so that what is judged is
our own layout of it, as ``spec/codecs/bit_planes.py`` and ``spec/codecs/group_quantiser.py`` have it.
"""

from sparring.analysis.compression import claims
from sparring.literature.statements import MEASURED, Shown, Unjudged

statements = [
    Shown("bit-splitting", "abstract", "V", "irregular bit widths are decomposed into basic units",
          claims.bit_splitting),
    Shown("spike-reserving", "abstract", "V",
          "minima and maxima are kept as floating-point numbers, so that the rest has a smaller range",
          claims.spike_reserving),
    Unjudged("two-bits", "abstract", "V", "quantization goes down to 2 bits", MEASURED),
    Unjudged("faster", "abstract", "V", "allreduce is 3.2 times as fast, and all-to-all 2 times", MEASURED),
]  # fmt: skip
