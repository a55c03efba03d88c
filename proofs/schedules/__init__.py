"""Schedule files: reading, writing and judging programs that others wrote down step by step."""
