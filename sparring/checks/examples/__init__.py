"""Inputs to judge an implementation on: drawn and shrunk by hypothesis, or hard by a rule."""
