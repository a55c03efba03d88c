"""Timelines: runs, traces and dumps as files of Chrome's Trace Event Format, which Perfetto opens.

Read ``timeline`` first: slices on the tracks of ranks, and arrows between them; ``events`` is the format.  ``steps``
makes timelines of what goes step by step, ``traces`` of recorded traces, :mod:`sparring.flight_recorder` of dumps.
"""
