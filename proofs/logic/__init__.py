"""Obligations, and the two solvers that they are put to.

Read ``obligations`` and ``queries`` first; ``messages`` reads off formulas what a rank sends; ``symbolic``, ``bits``,
``blocks`` and ``digits`` say how formulas are read in z3, ``solvers`` asks z3 and cvc5, first with the facts that
``hints`` knows to be enough; ``verdicts`` are the words for what comes of it.
"""
