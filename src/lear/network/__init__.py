"""The neural network: Composer and Interpreter as layers, and what they score."""
