"""Pages of broadcasts and reductions with the peers that Open MPI's have; rank 0 is the root."""
