"""What is proved of compressed allreduces: how far they are off, what is lost, and how many bytes they take."""
