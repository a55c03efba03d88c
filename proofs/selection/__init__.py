"""Code that selects by value, for every input: on exact linear forms, in every case that its comparisons can tell."""
