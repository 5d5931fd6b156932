"""Write the page about all rules to standard output: `python -m kitgen.check > docs/rules.md`."""

import sys

from kitgen.check.rules import document

sys.stdout.write(document())
