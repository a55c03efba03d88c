"""From a page's formulas to closed forms of what it sends: derived, proved for every p, and held against counts.

Read ``closed_forms`` first; ``proof`` proves it, ``comparison`` counts.
"""
