"""What benches share: state, live answers, subjects, word lists, steps; knows no host."""
