"""Which messages cross which links: topologies, and the claims that a schedule does not contend."""
