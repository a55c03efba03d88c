"""Probes, as mpi4py spells them: what could be received, and what is kept for a receive of its own."""

from __future__ import annotations

from sparring.proofs.world import operations
from sparring.proofs.world.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from sparring.proofs.world.findings import here
from sparring.proofs.world.handle import Handle, valid_tag
from sparring.proofs.world.messages import Message
from sparring.proofs.world.status import Status


class Probes(Handle):
    """Lower-case forms do the same: only a receive tells objects from memory."""

    def Probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        self._wait_for("Probe", source, tag, status)
        return True

    def Mprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Message:
        return self._taken(self._wait_for("Mprobe", source, tag, status))

    def Iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        return self._look("Iprobe", source, tag, status) is not None

    def Improbe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Message | None:
        probe = self._look("Improbe", source, tag, status)
        return self._taken(probe) if probe else None

    probe, mprobe, iprobe, improbe = Probe, Mprobe, Iprobe, Improbe

    def _wait_for(self, call: str, source: int, tag: int, status: Status | None) -> operations.Probe:
        probe = self._probe(call, source, tag)
        world = probe.rank.world
        if probe.source == ANY_SOURCE and self.Get_size() > 1:
            world.leave_fragment(f"{call} from any source")
        if not (probe.done or world.network.look(probe)):
            world.network.matching.post_probe(probe)
            world.sleep(probe.rank, call, [probe])
        if status is not None:
            status._set(probe)
        return probe

    def _look(self, call: str, source: int, tag: int, status: Status | None) -> operations.Probe | None:
        probe = self._probe(call, source, tag)
        world = probe.rank.world
        world.leave_fragment(call)
        if not (probe.done or world.network.look(probe)):
            world.tested_in_vain(probe.rank, call)
            if not world.network.look(probe):
                return None
        if status is not None:
            status._set(probe)
        return probe

    def _probe(self, call: str, source: int, tag: int) -> operations.Probe:
        rank, peer = self._begin(call), self._peer(source, "source")
        probe = operations.Probe(rank, call, here(), self._context, self._group, peer, valid_tag(tag, ANY_TAG))
        probe.takes, probe.done = call in ("Mprobe", "Improbe"), peer == PROC_NULL
        return probe

    def _taken(self, probe: operations.Probe) -> Message:
        return Message(nobody=True) if probe.source == PROC_NULL else Message(probe)
