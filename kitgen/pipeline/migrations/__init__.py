"""What the migrate commands do: each a frozen request, a result, and the function between them."""
