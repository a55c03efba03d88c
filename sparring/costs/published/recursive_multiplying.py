"""Published notation: Dense allreduce by recursive multiplying."""

from sparring.costs.published.notation import Letter

notation = {"MPICH's source": [Letter("k", "radix", "V", "how many ranks a group has"), Letter("comm_size", "p", "V")]}
