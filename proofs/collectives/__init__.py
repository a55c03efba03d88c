"""What theorems of collectives that MPI libraries are built from need beyond the formulas of their pages."""
