"""Which messages cross which links, and whether they meet there: for every p, and in finite runs under any timing."""
