"""Figures for papers: the views of a page's run as PDF, PNG and TikZ, with text as text, sized for a column.

``parts`` is what every figure is made of.  ``spacetime``, ``ring`` and ``matrix`` lay a run out, and ``divergence``
one that leaves its page; ``tikz`` and ``printed`` write what they give, and ``files`` chooses by the name of a file.
"""
