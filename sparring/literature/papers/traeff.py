"""J. L. Traeff, An improved algorithm for (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005.

Costs are as remembered, for powers of two.
"""

from sparring.literature.formulas import rounds, share
from sparring.literature.statements import Row, collective

BUTTERFLY = "the butterfly, each round halving what is left"

statements = [
    Row("rounds", BUTTERFLY, "M", collective("strided_butterfly_reduce_scatter"), "messages", rounds, given="p = 2^m"),
    Row("words", BUTTERFLY, "M", collective("strided_butterfly_reduce_scatter"), "words", share,
        given="p = 2^m, p | n"),
    Row("additions", BUTTERFLY, "M", collective("strided_butterfly_reduce_scatter"), "added", share,
        given="p = 2^m, p | n"),
]  # fmt: skip
