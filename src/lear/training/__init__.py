"""Learning: objectives, curriculum, the loop, checkpoints."""
