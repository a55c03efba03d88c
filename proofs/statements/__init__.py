"""What is to be proved of a page: ``conjectures`` in their order.

``formulas`` and ``compositions`` say what each theorem needs; ``volume`` bounds what a composition sends.

``execution`` runs a page for few ranks, which decides where a proof fails.
"""
