"""The pages of what MPI libraries are built from: who sends to whom in Open MPI's collectives, for every p.

Rank 0 is the root, and there is no implementation of ours.  What Open MPI cuts into segments is sent as one message:
segments multiply the messages between two ranks, and change nothing else.  Read ``linear_bcast``, ``linear_reduce`` and
``linear_alltoall`` first: they say what their kinds promise.
"""
