"""What people should look at after an import: trees before and after in, titles with lines out."""
