"""Write what a comparison found: as text, JSON, Markdown or a unified diff."""
