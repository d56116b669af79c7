"""Work for several processes of this machine, or for a cluster of machines."""
