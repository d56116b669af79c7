"""A model as data, and its forward pass in NumPy: all that parsing needs, without torch."""
