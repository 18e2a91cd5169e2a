"""Foreign tables: archives that somebody brought. They are checked, kept as the files that they are, and read like tables.

Reading order: `keeper` (where the files lie), `foreign` (a file as a table), `importing` (how one gets in).
"""

from server.archives.foreign import Foreign as Foreign
from server.archives.foreign import Imports as Imports
from server.archives.importing import Imported as Imported
from server.archives.importing import Importer as Importer
from server.archives.importing import Unfit as Unfit
from server.archives.keeper import Full as Full
from server.archives.keeper import Keeper as Keeper
from server.archives.keeper import keeper_at as keeper_at
