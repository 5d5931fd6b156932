"""Read and write YAML: the one strict reader and the one canonical writer.

In: text. Out: plain data (dict, list, str, int, float, bool, None), or text that every YAML reader
takes back to the same data. It knows nothing of Kubernetes or of kits, and touches no file.
"""

from kitgen.yamlio.characters import lost_character, lost_characters
from kitgen.yamlio.data import Json, JsonObject, Shared
from kitgen.yamlio.lines import line_finder, lines_of
from kitgen.yamlio.reader import Values, read, read_all
from kitgen.yamlio.rules import YamlError
from kitgen.yamlio.scalars import Dialect
from kitgen.yamlio.writer import dump, dump_all
