"""Write findings and tables for people and programs.

In: findings, and a way to read the files that they point at (for their lines). Out: text for the caller
to print. It decides nothing: what counts as an error, and the exit code, are settled elsewhere.
"""

from kitgen.report.documents import Form, document, findings_document
from kitgen.report.forms import FOR_PEOPLE, FORMS, show
from kitgen.report.lines import Read, locate, with_lines
from kitgen.report.table import table
from kitgen.report.text import summary
