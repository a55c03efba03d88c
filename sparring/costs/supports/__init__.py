"""Supports of sparse vectors: models of how they overlap, and what that means for messages."""
