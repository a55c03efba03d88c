"""Ranks that compute for different times: what DropCompute's rules do, for every time; and what it pays, on average."""
