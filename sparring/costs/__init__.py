"""What an algorithm costs: closed forms derived from its page, proved, and compared with counts and with papers.

From below: ``formulas`` has the letters and what is done with formulas; ``derivation`` makes closed forms of a page's
formulas and proves them; ``supports`` models how sparse vectors overlap, ``links`` where messages share links.  Read
``forms`` first, what all costs have, then ``costs``, ``union_cost`` and ``compositions``, the three kinds of them, and
``pricing``, which finds that of a page; ``shared_links`` adds nodes and topologies, ``crossover`` compares.  How costs
are shown is no business of this room: ``sparring.present.costs``.
"""
