"""Probes, as mpi4py spells them: what could be received, and what is kept for a receive of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.world.core import operations
from sparring.world.core.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from sparring.world.core.findings import here
from sparring.world.core.ranks import Question
from sparring.world.interface.handle import Handle, valid_tag
from sparring.world.interface.messages import Message
from sparring.world.interface.status import Status


class Probes(Handle):
    """Calls that look for messages; lower-case forms do the same, since only a receive tells objects from memory."""

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
        if probe.takes:  # with synchronous sends a message that is only held completes no send
            probe.rank.world.leave_fragment(call)
        elif probe.source == ANY_SOURCE and self.Get_size() > 1:
            probe.rank.world.leave_fragment(f"{call} from any source")
        self._ask(probe, None, status)
        return probe

    def _look(self, call: str, source: int, tag: int, status: Status | None) -> operations.Probe | None:
        probe = self._probe(call, source, tag)
        probe.rank.world.leave_fragment(call)
        self._ask(probe, False, status)
        return probe if probe.done else None

    def _ask(self, probe: operations.Probe, otherwise: Any, status: Status | None) -> None:
        """Ask for a message: ``probe`` is done if it is from PROC_NULL, or finds one."""
        network = probe.rank.world.network

        def found() -> list[tuple[operations.Send, str, Sequence[operations.Send]]]:
            sends = network.matching.visible(probe)
            return [(s, f"rank {s.rank.number}'s message ({s.where})", [s]) for s in sends]

        if not probe.done:
            question = Question(probe.call, probe.where, found, otherwise)
            probe.message = probe.rank.world.ask(probe.rank, question, [probe]) or None
            probe.done = probe.message is not None
        if probe.message and probe.takes:
            network.hold(probe.message)
        if probe.done and status is not None:
            status._set(probe)

    def _probe(self, call: str, source: int, tag: int) -> operations.Probe:
        rank, peer = self._begin(call), self._peer(source, "source")
        probe = operations.Probe(rank, call, here(), self._context, self._peers, peer, valid_tag(tag, ANY_TAG))
        probe.takes, probe.done = call in ("Mprobe", "Improbe"), peer == PROC_NULL
        return probe

    def _taken(self, probe: operations.Probe) -> Message:
        return Message(nobody=True) if probe.source == PROC_NULL else Message(probe)
