"""The kernel that makes theorems, and what it stands on: symbolic reading, solvers, execution, terms."""
