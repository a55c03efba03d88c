"""Waiting for a message of a job that is watched."""

from __future__ import annotations

import pytest

from sparring.adapters.watch import Work


class Sent:
    """What stands in for torch's work: it notes how the message stands while somebody waits for it, and may fail."""

    tag = 7

    def __init__(self, entry, error=None):
        self.entry, self.error, self.during = entry, error, None

    def wait(self):
        self.during = self.entry["retired"]
        if self.error:
            raise self.error
        return True


def test_a_rank_is_in_a_message_only_while_it_waits():
    """Before and after, and when it failed, the call has come to its end."""
    entry = {"state": "scheduled", "retired": True}
    sent = Sent(entry)
    assert Work(sent, entry).wait() is True and sent.during is False
    assert entry == {"state": "completed", "retired": True}
    failed = Sent(entry, RuntimeError("connection closed by peer"))
    with pytest.raises(RuntimeError, match="closed by peer"):
        Work(failed, entry).wait()
    assert failed.during is False and entry == {"state": "completed", "retired": True}


def test_what_else_a_message_has_is_torchs():
    assert Work(Sent({}), {}).tag == 7
