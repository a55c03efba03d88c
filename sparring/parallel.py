"""Verifying several algorithms at once, each in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from sparring.errors import InputError
from sparring.report import Result
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.verification import Plan, Track, verify_page


def verified(algos: Sequence[str | Page], plan: Plan, track: Track, jobs: int) -> list[Result]:
    """The results for all algorithms, in their order, whichever is done first.

    Raises InputError for a number of jobs below one.
    """
    if jobs < 1:
        raise InputError(f"jobs={jobs}: at least 1 process")
    names = [algo for algo in algos if isinstance(algo, str)]
    if jobs == 1 or len(names) < max(2, len(algos)):  # a Page is in this process only
        found = [algo if isinstance(algo, Page) else pages.find(algo) for algo in algos]
        return [result for page in found for result in verify_page(page, plan, track)]
    with ProcessPoolExecutor(min(jobs, len(names)), get_context("spawn")) as pool:
        parts = [pool.submit(alone, name, plan) for name in names]
        return [result for part in track(parts, f"algorithms, {jobs} at a time") for result in part.result()]


def alone(name: str, plan: Plan) -> list[Result]:
    """The results for one algorithm, in a process that has nothing but its name."""
    return verify_page(pages.find(name), plan, lambda items, _: items)
