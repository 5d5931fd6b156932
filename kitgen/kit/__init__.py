"""The language of the specs: files are read strictly and become the model, with the origin of every value."""
