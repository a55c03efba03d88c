"""The verdict on somebody's implementation: run on simulated and on real ranks, judged property by property.

Read ``checking`` first, then ``question`` and ``engine``, which draws examples and looks for small ones.  ``examples``
makes inputs, ``places`` runs them, on real MPI by ``ranks``, from a driver that never starts MPI itself.  ``judged`` is
one example, of which ``judges`` say what is wrong; ``findings`` counts them, and ``verdicts`` sums up.
"""
