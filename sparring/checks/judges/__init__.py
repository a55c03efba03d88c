"""What is wrong with a run beyond the page's bits, which ``refinement.bits`` judges: in sums, contracts, messages."""
