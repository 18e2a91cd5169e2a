"""Who a token belongs to, kept in memory: every request asks."""

import time

import apsw

from server.accounts.ports import Principal, scopes_of

MOST = 50_000
"""Principals kept; beyond that all are dropped and read again, 4 µs each."""

LOOK_AGAIN_SECONDS = 1.0
"""How often to ask whether another process has written to the file; asking costs as much as a look-up."""


class Principals:
    """Principals by the hash of their token. Only tokens that exist are kept: guesses fill nothing."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._known: dict[bytes, Principal] = {}
        self._version: object = None
        self._look_again = 0.0

    def get(self, digest: bytes) -> Principal | None:
        """The principal of the token with this hash."""
        if time.monotonic() >= self._look_again:
            self._notice_others()
        found = self._known.get(digest)
        return found if found is not None else self._read(digest)

    def clear(self) -> None:
        """To be called when a token was revoked."""
        self._known.clear()

    def _notice_others(self) -> None:
        version = self._db.pragma("data_version")
        if version != self._version:
            self._known.clear()
            self._version = version
        self._look_again = time.monotonic() + LOOK_AGAIN_SECONDS

    def _read(self, digest: bytes) -> Principal | None:
        row = self._db.execute(
            "SELECT player.id, name, scopes, token.id, bot FROM token JOIN player ON player.id = token.player"
            " WHERE hash = ?",
            (digest,),
        ).get
        if row is None:
            return None
        if len(self._known) >= MOST:
            self._known.clear()
        player, name, scopes, token_id, bot = row
        found = self._known[digest] = Principal(player, name, scopes_of(scopes), token_id, bool(bot))
        return found
