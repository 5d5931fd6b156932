"""Read and write YAML: the one strict reader and the one canonical writer.

In: text. Out: plain data (dict, list, str, int, float, bool, None), or text that every YAML reader
takes back to the same data. It knows nothing of Kubernetes or of kits, and touches no file.
"""

from kitgen.text.yaml.data import Dialect, Json, JsonObject, SharedMapping, Values, walk_values
from kitgen.text.yaml.lines import build_line_finder, find_lines
from kitgen.text.yaml.reader import find_lost_character, find_lost_characters, read_yaml, read_yaml_documents
from kitgen.text.yaml.rules import YamlError
from kitgen.text.yaml.writer import dump_yaml, dump_yaml_documents
