"""What an algorithm costs: closed forms derived from its page, proved, and compared with counts and with papers.

From below: ``formulas`` has the letters and what is done with formulas; ``derivation`` makes closed forms of a page's
formulas and proves them; ``supports`` models how sparse vectors overlap, ``links`` where messages share links.  Read
``costs`` first, then ``union_cost`` and ``shared_links``; ``compositions`` adds up exchanges.
"""
