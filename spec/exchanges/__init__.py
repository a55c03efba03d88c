"""Pages that compositions exchange by: one phase each, with formulas, proved as all pages are; see ``spec/core/exchanges.py``."""
