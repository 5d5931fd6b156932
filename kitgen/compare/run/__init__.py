"""What the commands that compare do: a request in, a result out."""
