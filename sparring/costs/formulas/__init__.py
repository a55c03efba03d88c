"""The letters of costs, and what is done with formulas: simplified, evaluated, bounded, typeset."""
