"""Forms in which vectors travel as codes of a few bits, and codes as bytes."""
