"""Templates as Argo CD fills them in: what they read, what is wrong with them, and what plain ones become.

In: a text, in Go's language of templates or with flat keys alone. Out: a `Template`. It runs nothing but
reads of fields, and knows neither ApplicationSets nor files.
"""

from kitgen.gotemplates.flat import parse_flat
from kitgen.gotemplates.parsing import parse
from kitgen.gotemplates.template import Call, Fault, MissingKeyError, Read, Template
