"""What probes share: psychometric curves of binomial responses and of replicates, intervals."""
