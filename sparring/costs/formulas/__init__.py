"""The letters of costs, and what is done with formulas: simplified, evaluated, held against ``lower_bounds``, cited."""
