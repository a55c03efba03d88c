"""Mutants of implementations: a fault on every place of their syntax, and what becomes of each.

Read ``survey`` first, which ``verify --mutants`` calls; then ``judging``: *killed*, *equivalent* or *survived*.
``sampled`` draws faults from all code of implementations.  Faults in pages are :mod:`sparring.proofs.mutants`'.
"""
