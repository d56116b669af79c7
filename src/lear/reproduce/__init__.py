"""The tables of the paper, ours beside theirs."""
