"""What is true of training with such allreduces: compression, averaging in groups, packet loss, stragglers.

Statements are decided by solvers, by sympy or in exact numbers; ``literature`` says which papers make them.
"""
