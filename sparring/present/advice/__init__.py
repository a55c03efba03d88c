"""Advice as people read it: in a terminal, as a page, as a picture."""
