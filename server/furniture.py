"""Decks and boards that the operator has installed: files in a folder, by game, kind and name.

    FOLDER/witch_trial/deck/printed.toml        a table of witch_trial may be opened with {"deck": "printed"}

What stands in such a file goes into the first entry of each table that is opened with it, so a log needs no file besides.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from games.core import BadFile, Furnished, Game, Installed
from server.logs import Log

LARGEST = 1 << 18
"""Bytes that such a file may have: it stands in every log that uses it."""

ENDING = ".toml"

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")

log = Log("furniture")


class Unfurnished(Exception):  # noqa: N818  (it is said of a table)
    """The table cannot be opened so. `key` and `params` say why to a person: see `Problem`."""

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key)
        self.key = key
        self.params = params


class Furniture:
    """What a folder holds; nothing without one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self, game: Game) -> dict[str, tuple[str, ...]]:
        """The files that a table of this game may be opened with, by kind: its own first, then those installed."""
        if not isinstance(game, Furnished):
            return {}
        return {kind: (*own, *self._installed(game, kind, own)) for kind, own in game.furniture.items()}

    def _installed(self, game: Game, kind: str, own: tuple[str, ...]) -> list[str]:
        if self._folder is None:
            return []
        found = (file.stem for file in (self._folder / game.name / kind).glob(f"*{ENDING}"))
        return sorted(name for name in found if _NAME.fullmatch(name) and name not in own)

    def furnish(self, game: Game, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a new table, with the content of the files that they name.

        Raises:
            Unfurnished: there is no such file, it cannot be used, or somebody gave a file's content himself.
        """
        found = dict(options)
        if not isinstance(game, Furnished):
            return found
        for kind, own in game.furniture.items():
            if f"{kind}_file" in found:
                raise Unfurnished("file_given", field=f"{kind}_file")
            name = found.get(kind, own[0])
            if isinstance(name, str) and name not in own:  # what is no name the options themselves refuse
                found[f"{kind}_file"] = msgspec.to_builtins(self._file(game, kind, name))
        return found

    def _file(self, game: Furnished, kind: str, name: str) -> Installed:
        path = (
            None if self._folder is None else self._folder / str(getattr(game, "name", "")) / kind / f"{name}{ENDING}"
        )
        if path is None or not _NAME.fullmatch(name) or not path.is_file():
            raise Unfurnished("no_such_file", kind=kind, value=name)
        data = path.read_bytes()
        try:
            return Installed(sha256(data).hexdigest(), game.furnish(kind, _text(data)))
        except BadFile as bad:
            log.warning("bad_file", file=path.name, kind=kind, line=bad.line or 0, reason=bad.reason)
            raise Unfurnished("bad_file_here", kind=kind, value=name, line=bad.line or 0, why=bad.sentence) from None


def _text(data: bytes) -> str:
    if len(data) > LARGEST:
        raise BadFile(None, "too_large", f"The file is larger than {LARGEST} bytes.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadFile(None, "not_utf8", "The file is no UTF-8.") from None
