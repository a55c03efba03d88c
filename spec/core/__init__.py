"""What a page is, and how it runs.

Read ``model`` first, and ``loading``, which makes it of a module; then ``numbers`` and ``schedule``, which read
formulas, and ``runs``.  For one rank's text read ``compositions``, ``vectors`` and ``exchanges``.  ``runner`` runs any
page.  ``purity`` and ``code_purity`` refuse functions that keep something, with what ``function_texts`` and ``origins``
say of them.
"""
