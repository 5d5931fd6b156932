"""What changes on a cluster between two states, worst first."""
