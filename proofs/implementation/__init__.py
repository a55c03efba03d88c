"""An implementation beside its page: the ways in which ``verify`` runs it, and what it finds there."""
