"""Theory of compressed allreduces: what is lost, and at most how much."""
