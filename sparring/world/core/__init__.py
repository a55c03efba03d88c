"""What a simulated MPI does below its interface: it schedules ranks, matches messages, and sees why a run is stuck.

Read ``scheduler`` and ``ranks`` first, then ``network``, ``matching`` and ``operations``: a message's way.
"""
