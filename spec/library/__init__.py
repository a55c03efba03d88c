"""What texts of compositions use beyond plain exchanges: chance, thresholds, matrices, and exchanges of other kinds."""
