"""What the crd commands do: outline, diff, validate, import; one request and one result each."""
