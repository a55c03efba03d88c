"""A simulated MPI: ``p`` ranks in one process, one running at a time, every fault with its rank and line."""
