"""Changes between two states: each with its risk, its reason and who feels it; exceptions with reasons."""
