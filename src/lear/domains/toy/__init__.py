"""A small language of family and teaching that ships with lear, after the paper's Figure 1."""
