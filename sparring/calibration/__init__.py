"""A machine's alpha, beta and gamma, measured on real ranks, and what predictions made with them are worth."""
