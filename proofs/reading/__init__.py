"""Pages read on symbols: single entries, points and lengths in the place of vectors.

``annotations`` finds what a page's proof needs beyond its text; ``paths`` goes every way through a composition's
text on ``points``, ``ways`` on ``lengths``; ``local_functions`` proves what its local functions do.
"""
