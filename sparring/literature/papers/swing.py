"""De Sensi, Bonato, Saam and Hoefler, Swing: short-cutting rings for higher bandwidth allreduce, NSDI 2024.

Its text was not at hand.  d is 2^i in round i.
"""

from sparring.literature.statements import MEASURED, Theorem, Unjudged

statements = [
    Theorem("distance", "definition of its distances, beside d of recursive doubling", "DM",
            "(2 d + 1) / 3 <= d: partners in even rounds, and in odd ones, are no further apart", hypotheses="d >= 1"),
    Unjudged("speed", "abstract", "M", "on tori it is up to 3 times as fast as others, from 32 B to 128 MiB", MEASURED),
]  # fmt: skip
