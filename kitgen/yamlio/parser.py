"""The parser: libyaml, or the same in pure Python."""

from __future__ import annotations

import yaml

try:
    from yaml.cyaml import CParser as Parser  # type: ignore[attr-defined] # missing from the stubs
except ImportError:  # a PyYAML that was built without libyaml

    class Parser(  # type: ignore[no-redef] # the same events from pure Python
        yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser
    ):
        """Joins PyYAML's own stages."""

        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)
