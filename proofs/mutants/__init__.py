"""Faults planted on purpose: what a prover must refute."""
