"""Which allreduce for a user's gradients: read them, measure them, compare the derived costs of all algorithms."""
