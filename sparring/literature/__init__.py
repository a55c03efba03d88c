"""What papers state, and whether it holds: a module a paper in ``papers``; ``statements`` says what kinds there are."""
