"""Vectors as codes of a few bits, and codes as bytes."""
