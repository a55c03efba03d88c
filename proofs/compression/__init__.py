"""What is proved of coded vectors: how far they are off, and how many bytes they take."""
