"""Pages that compositions exchange by: one phase each, with formulas; see ``spec/core/exchanges.py``."""
