"""Commands about images, one module each."""
