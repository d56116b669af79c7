"""What a domain says to lear, and the rows and rewards that follow from it."""
