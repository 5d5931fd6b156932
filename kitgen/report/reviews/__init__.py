"""Write what changes on a cluster: as text, JSON, Markdown or a unified diff."""

from kitgen.report.reviews.text import as_text, dangers
from kitgen.report.reviews.view import View, summary

__all__ = ["View", "as_text", "dangers", "summary"]
