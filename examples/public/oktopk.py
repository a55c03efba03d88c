"""Reducers of Ok-Topk, github.com/Shigangli/Ok-Topk at commit 9763dccb, folder VGG, as targets of ``sparring check``.

Clone it, name the folder VGG in ``OKTOPK``, and with torch installed

    sparring check examples/public/oktopk.py:OkTopk --contract error-feedback:mean=1 --dtype float32 ...

Its first 512 calls are dense: the counter begins behind them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sparse_training import Reducer, theirs

ALLREDUCER, COMPRESSION = theirs("OKTOPK")
DENSE = 512
"""Calls before the first sparse one."""


class TopkA(Reducer):
    """Each rank's ``k`` largest entries are gathered and added."""

    allreducer: ClassVar[Any] = ALLREDUCER
    compressor: ClassVar[Any] = COMPRESSION.TopKACompressor

    def prepare(self, comm: Any) -> None:
        """What theirs makes of all ranks of the world is made of this communicator's."""
        self.reducer._allreduce_counter["layer"] = DENSE
        partners = list(range(comm.size))
        self.reducer._dsts = self.allreducer.list_rotate(partners, -comm.rank)
        self.reducer._srcs = self.allreducer.list_rotate(partners[::-1], comm.rank + 1)
        self.reducer._boundaries["layer"] = [0] * comm.size
        self.reducer._region_offsets["layer"] = [0] * comm.size


class OkTopk(TopkA):
    """Ok-Topk."""

    compressor = COMPRESSION.OKTopKCompressor


class TopkDSA(TopkA):
    """TopkDSA, after SparCML."""

    compressor = COMPRESSION.TopKSACompressor


class Gaussiank(TopkA):
    """Entries above a threshold that a normal distribution suggests."""

    compressor = COMPRESSION.GaussianKCompressor
