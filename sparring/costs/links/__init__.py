"""Machines and the links that messages share: what a step takes on them."""
