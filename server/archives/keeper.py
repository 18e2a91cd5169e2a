"""Where the archives lie that were brought here: files in a folder, one each, under the id that follows from their bytes."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

from events.ids import FOREIGN, lane_of

ENDING = ".jsonl"

MEMORY = "memory:"


class Full(Exception):  # noqa: N818  (it is said of the place)
    """There is no room for another archive: all together may have `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class Keeper(Protocol):
    """Keeps archives by their ids. What is kept does not change."""

    def put(self, name: str, data: bytes) -> None:
        """Keeps the archive, durably.

        Raises:
            Full: there is no room.
            OSError: it cannot be written.
        """
        ...

    def get(self, name: str) -> bytes | None:
        """The archive's bytes, if it is here."""
        ...

    def has(self, name: str) -> bool:
        """Whether the archive is here."""
        ...

    def drop(self, name: str) -> bool:
        """Forgets the archive; whether it was here."""
        ...


class MemoryKeeper:
    """Keeps archives as long as the process runs."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[str, bytes] = {}

    def put(self, name: str, data: bytes) -> None:
        if name in self._kept:
            return
        if sum(map(len, self._kept.values())) + len(data) > self._limit:
            raise Full(self._limit)
        self._kept[name] = data

    def get(self, name: str) -> bytes | None:
        return self._kept.get(name)

    def has(self, name: str) -> bool:
        return name in self._kept

    def drop(self, name: str) -> bool:
        return self._kept.pop(name, None) is not None


class FileKeeper:
    """Keeps archives in a folder, which is made when the first one comes."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit

    def put(self, name: str, data: bytes) -> None:
        """A file is there whole or not at all, whatever happens in between."""
        path = self._path(name)
        if path.exists():
            return
        if sum(self._sizes()) + len(data) > self._limit:
            raise Full(self._limit)
        self._folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._folder, prefix=".", delete=False) as draft:
            try:
                draft.write(data)
                draft.flush()
                os.fsync(draft.fileno())
                Path(draft.name).replace(path)
            except BaseException:
                Path(draft.name).unlink(missing_ok=True)
                raise
        self._sync_folder()

    def get(self, name: str) -> bytes | None:
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        return self._path(name).exists()

    def drop(self, name: str) -> bool:
        if not self.has(name):
            return False
        self._path(name).unlink(missing_ok=True)
        self._sync_folder()
        return True

    def _path(self, name: str) -> Path:
        """Raises ValueError for what is no id of an archive, so that no name leads out of the folder."""
        if lane_of(name) != FOREIGN:
            raise ValueError(f"{name} is not the id of an archive")
        return self._folder / f"{name}{ENDING}"

    def _sizes(self) -> Iterator[int]:
        if self._folder.is_dir():
            for each in self._folder.glob(f"*{ENDING}"):
                yield each.stat().st_size

    def _sync_folder(self) -> None:
        """A name is durable once its folder is (not on Windows, where a folder cannot be opened)."""
        if os.name != "posix":
            return
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def keeper_at(place: str, limit: int) -> Keeper:
    """The keeper at `memory:` or in a folder, for at most `limit` bytes in all."""
    return MemoryKeeper(limit) if place == MEMORY else FileKeeper(Path(place), limit)
