"""Templates as Argo CD fills them in: what they read, what is wrong with them, and what plain ones become."""
