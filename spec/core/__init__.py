"""What a page is, and how it runs.

Read ``model`` first, then ``numbers`` and ``schedule``, which read formulas, and ``runs``; for one rank's text read
``compositions``, ``vectors`` and ``exchanges``.  ``runner`` runs any page.
"""
