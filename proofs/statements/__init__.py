"""What is to be proved of a page: ``conjectures`` in their order, those of ``compositions``, and what they send.

``execution`` runs a page for few ranks, which decides where a proof fails.
"""
