"""Stich, Local SGD converges fast and communicates little, ICLR 2019.

The text was not at hand.  Ranks take the mean of where they are every H steps; gradients are no longer than G, eta
is the rate.
"""

from sparring.analysis.compression import local_steps
from sparring.literature.statements import CONVERGENCE, Shown, Unjudged

ABOUT = "as commonly told; the statement is ours"

statements = [
    Shown("minibatch", ABOUT, "MD", "with H = 1 it is descent against the mean gradient", local_steps.minibatch,
          hypotheses="exact arithmetic"),
    Shown("deviation", ABOUT, "MD", "between two means a rank is at most 2 eta (H - 1) G from the mean",
          local_steps.bounded, hypotheses="no gradient is longer than G"),
    Shown("deviation-reached", "the same; that it is reached is ours to ask", "D",
          "some rank is 2 eta (H - 1) G from the mean", local_steps.reached,
          hypotheses="no gradient is longer than G, H > 1",
          xfail="it is at most 1 - 1/p of that, and so much is reached"),
    Shown("volume", ABOUT, "MD", "it sends an H-th of what descent with a sum in each step sends", local_steps.volume,
          hypotheses="H divides the number of steps"),
    Unjudged("speed-up", "abstract", "M", "it has a linear speed-up with H up to the root of T / p", CONVERGENCE),
]  # fmt: skip
