"""The letters of costs, and what is done with formulas: simplified, evaluated and held against ``lower_bounds``."""
