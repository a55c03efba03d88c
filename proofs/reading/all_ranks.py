"""What only ``ensures`` and the like say of a point, since it speaks of all ranks: refused in a rank's own text.

A text could ask a point for it by a method that no vector has.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparring.spec.core.vectors import AtPoint, said_of_all


class OfAllRanks(AtPoint):
    """A point of a ``reading``, as far as its methods say what is so of all ranks."""

    reading: Any

    def comes(self, to: str, *terms: Any) -> Any:
        """Return the condition for ``ensures``: see :func:`sparring.spec.library.lossy_links.came`."""
        said_of_all("came")
        return self.reading.comes(to, *terms)

    def versions_held(self, *terms: Any) -> Any:
        """Return the point for ``leaves``: see :func:`sparring.spec.library.lossy_links.versions_held`."""
        said_of_all("versions_held")
        return self.reading.versions_held(*terms)

    def owns(self) -> Any:
        """Return the condition that the rank is the owner of the index."""
        said_of_all("owns")
        return self.reading.owns()

    def by_rank(self) -> Any:
        """Return what each rank has, as all ranks know it."""
        said_of_all("by_rank")
        return self.reading.told(self)

    def gathered(self) -> Any:
        """Return what each rank has, told to all ranks."""
        said_of_all("gathered")
        return self.reading.gathered(self)

    def owned(self) -> Any:
        """Return what the owner has, as a fact about all ranks."""
        said_of_all("owned")
        point: Any = self
        return replace(point, placement="replicate", owner="")
