"""Faults planted on purpose in pages: what a prover must refute."""
