"""What is no test here."""

from __future__ import annotations

collect_ignore = ["hanging_jobs.py"]
"""A program of torch's: looking into it for examples would import torch where it is missing."""
