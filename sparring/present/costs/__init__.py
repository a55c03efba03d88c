"""Costs on paper: as tables of text, for LaTeX, and as code.

``summary`` says what there is to tell of a cost, as plain data; ``typeset`` writes formulas in LaTeX, ``papers`` whole
tables and documents; ``tables`` are for Markdown and spreadsheets, ``code`` for Python and C.
"""
