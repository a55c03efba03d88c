"""The verdict on somebody's implementation: run on simulated and on real ranks, judged property by property.

Read ``checking`` first, then ``question`` and ``engine``.  ``examples`` makes inputs, ``places`` runs them, on real
MPI by ``ranks``, from a driver that never starts MPI itself; ``judges`` say what is wrong, ``verdicts`` sum it up.
"""
