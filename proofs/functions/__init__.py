"""Theorems about functions that several pages call."""
