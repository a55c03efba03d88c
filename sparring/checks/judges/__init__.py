"""What is wrong with a run: in its result, its agreement, its messages, its residuals; each in a sentence."""
