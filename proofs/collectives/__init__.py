"""What theorems of broadcasts and reductions need beyond the formulas of their pages."""
