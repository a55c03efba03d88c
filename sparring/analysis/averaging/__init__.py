"""Averaging in groups: how fast it mixes, what failures leave, how work is balanced.

Matrices and factors are exact, in Fractions or in sympy's terms; :mod:`simulation` draws.
"""
