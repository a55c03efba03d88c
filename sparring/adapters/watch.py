"""Watches a job on torch from within: what each rank sends and receives, and where it is when it dumps.

gloo's flight recorder lists collectives alone.  This lists its sends and receives too, in the recorder's own form, and
writes the groups' ranks, so that ``sparring check`` sees messages that nobody receives and circles of receives.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from sparring.adapters import extra
from sparring.flight_recorder import plain_pickle

RECORDS = "2000"
"""How many calls the flight recorder keeps where nobody has said so."""
DEPTH = 64
"""The most lines of a stack that are written."""
PATCHED = ("isend", "irecv")
"""Through these all of torch's messages go: ``send``, ``recv`` and ``batch_isend_irecv`` call them."""


class Work:
    """A message under way: torch's own work, and whether the rank is waiting for it now."""

    def __init__(self, work: Any, entry: dict[str, Any]) -> None:
        self._work, self._entry = work, entry

    def wait(self, *args: Any, **kwargs: Any) -> Any:
        """Wait as torch's work does; a message that fails has come to its end, too."""
        self._entry |= {"state": "started", "retired": False}
        try:
            return self._work.wait(*args, **kwargs)
        finally:
            self._entry |= {"state": "completed", "retired": True}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._work, name)


class Watch:
    """The watch over one rank's calls, from :func:`watch` on until :meth:`stop`."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder = folder
        self.messages: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.thread = threading.get_ident()
        self.timer = threading.Timer(seconds, self.dump)
        self.timer.daemon = True
        self.originals = {name: getattr(extra.torch("distributed"), name) for name in PATCHED}

    def start(self) -> None:
        for name, original in self.originals.items():
            self.patch(name, self.recorded(name, original))
        self.timer.start()

    def stop(self) -> None:
        """End the watch: nothing is written any more, and torch's functions are its own again."""
        self.timer.cancel()
        for name, original in self.originals.items():
            self.patch(name, original)

    def patch(self, name: str, function: Callable[..., Any]) -> None:
        for part in ("distributed", "distributed.distributed_c10d"):
            setattr(extra.torch(part), name, function)

    def recorded(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function ``isend`` or ``irecv`` that records its calls, as torch takes them."""
        end = "dst" if name == "isend" else "src"

        def call(tensor: Any, peer: Any = None, group: Any = None, tag: int = 0, **given: Any) -> Any:
            given = {end: peer, **given}
            entry = self.entry(name[1:], tensor, group, given.get(end), given.get(f"group_{end}"))
            work = original(tensor, group=group, tag=tag, **given)
            return work if work is None or entry is None else Work(work, entry)

        return call

    def entry(self, kind: str, tensor: Any, group: Any, peer: Any, group_peer: Any) -> dict[str, Any] | None:
        """Record a message; return None if torch's own recorder lists it, as NCCL's does, or it is not the rank's."""
        dist = extra.torch("distributed")
        group = group or dist.group.WORLD
        if (own := dist.get_rank(group)) < 0 or group._get_backend(tensor.device).name() == "nccl":
            return None
        if group_peer is None and peer is not None:
            group_peer = dist.get_group_rank(group, peer)
        arrow = "->" if kind == "send" else "<-"
        sizes, dtype = [list(tensor.shape)], [str(tensor.dtype).removeprefix("torch.")]
        entry = {
            "process_group": described(group),
            "profiling_name": f"gloo:{kind} {own}{arrow}{'any' if group_peer is None else group_peer}",
            "collective_seq_id": 0, "p2p_seq_id": len(self.messages) + 1, "is_p2p": True,
            "state": "scheduled", "retired": True,
            "input_sizes": sizes, "output_sizes": sizes, "input_dtypes": dtype, "output_dtypes": dtype,
            "time_created_ns": time.time_ns(), "frames": stack(sys._getframe(2)),
        }  # fmt: skip
        with self.lock:
            self.messages.append(entry)
        return entry

    def dump(self) -> Path:
        """Write ``trace_RANK`` into the folder, whatever the rank is doing now; return the file."""
        dist = extra.torch("distributed")
        recorder = import_module("torch._C._distributed_c10d")
        told = plain_pickle.loads(recorder._dump_fr_trace())
        with self.lock:
            messages = [dict(one) for one in self.messages]
        listed = list(told.get("entries", []))
        first = listed[0].get("record_id", 0) if listed else 0
        entries = [*listed, *({**one, "record_id": first} for one in messages)]
        told["entries"] = sorted(entries, key=lambda one: one["time_created_ns"])
        told["pg_config"] = dict(map(ranks_of, dist.distributed_c10d._world.pg_map))
        told["lists_messages"] = True
        told["now"] = stack(sys._current_frames().get(self.thread))
        return self.written(msgspec.json.encode(told), dist.get_rank())

    def written(self, data: bytes, rank: int) -> Path:
        """Write a file that nobody sees half written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path, unfinished = self.folder / f"trace_{rank}.json", self.folder / f".unfinished-{rank}"
        unfinished.write_bytes(data)
        unfinished.replace(path)
        return path


def described(group: Any) -> tuple[str, str]:
    """Return a group's name and description, as the recorder calls it."""
    return group.group_name, group.group_desc


def ranks_of(group: Any) -> tuple[str, dict[str, str]]:
    """Return a group's name, and its ranks as dumps of NCCL tell them."""
    name, desc = described(group)
    ranks = extra.torch("distributed").get_process_group_ranks(group)
    return name, {"name": name, "desc": desc, "ranks": str(ranks)}


def stack(frame: FrameType | None) -> list[dict[str, Any]]:
    """Return the lines of a stack, the innermost first."""
    lines: list[dict[str, Any]] = []
    while frame and len(lines) < DEPTH:
        code = frame.f_code
        lines.append({"name": code.co_name, "filename": code.co_filename, "line": frame.f_lineno})
        frame = frame.f_back
    return lines


def watch(folder: str | Path, seconds: float = 600.0) -> Watch:
    """Watch this rank's calls on ``torch.distributed``, and write where it stands after some seconds.

    Parameters
    ----------
    folder : where each rank writes ``trace_RANK.json``; ``sparring check FOLDER`` reads it.
    seconds : after which it is written, whatever the rank is doing then.

    Call it in the thread that makes the calls, before ``init_process_group``: the flight recorder's buffer, if
    ``TORCH_FR_BUFFER_SIZE`` does not say how long it is, is given 2000 entries.  Sends and receives on gloo are listed,
    which its own recorder leaves out.  The watch has ``dump()``, which writes at once, and ``stop()``.

    Raises
    ------
    MissingExtra : torch is not installed.
    """
    extra.there()
    os.environ.setdefault("TORCH_FR_BUFFER_SIZE", RECORDS)
    made = Watch(Path(folder), seconds)
    made.start()
    return made
