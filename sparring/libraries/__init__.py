"""What an MPI library's own collectives promise and send: ``sparring check --library``.

Read ``collectives`` first: the calls that are judged, each made into an allreduce that shows its result.
``selection`` says which algorithms a library lets one choose, as the library itself tells (``variables``, through
``tools_interface``).  ``counting`` is the program of ranks that count messages, ``matching`` finds the pages that send
the same, ``audit`` judges one algorithm after the other, and ``showing`` writes the rows.

What a library chooses when it is left to choose is another question, ``--selection``.  ``timing`` times its own choice
beside each algorithm, ``choices`` judges counts and times, ``letters`` fits a machine to the times, ``choice_audit``
asks and puts together, ``choice_tables`` and ``choice_picture`` show.
"""
