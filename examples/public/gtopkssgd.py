"""The reducers of gTop-k S-SGD, github.com/hclhkbu/gtopkssgd at commit 6f57343f, as targets of ``sparring check``.

Clone it, name the folder in ``GTOPKSSGD``, and with torch installed

    sparring check examples/public/gtopkssgd.py:GTopK --contract error-feedback:mean=1 --dtype float32 ...

Its schedule of densities is left out, so that the density is the one that is given.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sparse_training import Reducer, theirs

ALLREDUCER, COMPRESSION = theirs("GTOPKSSGD")


class TopK(Reducer):
    """Each rank's ``k`` largest entries are gathered and added."""

    allreducer: ClassVar[Any] = ALLREDUCER
    compressor: ClassVar[Any] = COMPRESSION.TopKCompressor

    def prepare(self, comm: Any) -> None:
        self.reducer._dynamic_densities = None


class GTopK(TopK):
    """Of these the ``k`` largest sums, found along a tree."""

    compressor = COMPRESSION.gTopKCompressor


class TopK2(TopK):
    """The ``k`` largest sums of all that were gathered."""

    compressor = COMPRESSION.TopKCompressor2
