"""The files of migrations → model, and what of them cannot be.

`building` makes records of data that fits the schema, `judging` says what is wrong with them, and `reading`
reads all of a kit.
"""

from kitgen.load.migrations.building import steps_of
from kitgen.load.migrations.judging import MIGRATION_KIND
from kitgen.load.migrations.reading import Migrations, load_migrations, migration_files
