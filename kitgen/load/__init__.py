"""Spec files → model: read, check the shape, build, check what crosses files.

In: a kit's root folder. Out: a `Kit` and every finding. It writes nothing, renders nothing, and
never follows a path out of the root.
"""

from kitgen.load.foreign import Foreign, ForeignObject, documents_of, foreign, objects_in, read_foreign
from kitgen.load.kit import Only, load_kit
from kitgen.load.manifests import Intake, exists, manifest_texts
from kitgen.load.specfiles import SpecFiles
