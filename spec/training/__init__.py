"""Rules of training around an allreduce: dropping late work, local descent."""
