"""What is true of an allreduce whose packets get lost: exactly, over all patterns of losses, and in closed form.

``patterns`` runs the page over each pattern, in rationals; ``weights`` has what aggregators make of the
vectors, on average, for every number of ranks; ``ages`` how far behind replicas are, and apart;
``identities`` decides equations; ``hypotheses`` names what all this supposes, and shows what else is true.
"""
