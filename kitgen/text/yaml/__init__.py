"""Read and write YAML: the one strict reader and the one canonical writer.

In: text. Out: plain data (dict, list, str, int, float, bool, None), or text that every YAML reader
takes back to the same data. It knows nothing of Kubernetes or of kits, and touches no file.
"""

from kitgen.text.yaml.builder import Values
from kitgen.text.yaml.data import Dialect, Json, JsonObject, SharedMapping, walk
from kitgen.text.yaml.lines import line_finder, lines_of
from kitgen.text.yaml.reader import lost_character, lost_characters, read, read_all
from kitgen.text.yaml.rules import YamlError
from kitgen.text.yaml.writer import dump, dump_all
