"""Accounts in SQLite: one implementation for a file and for memory. The tables are in accounts.sql.

Writing is rare and durable at once (a token that was handed out must not be lost), reading is one look-up by primary
key, and the look-up of a token, which every request needs, is answered from memory.
"""

import hmac
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from hashlib import sha256
from secrets import token_bytes
from typing import cast

import apsw
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.accounts import codes
from server.accounts.names import clean_name
from server.accounts.ports import (
    Accounts,
    Invite,
    InviteRefused,
    Issued,
    KeyReused,
    KeySpent,
    Player,
    Principal,
    PublicKey,
    Registration,
    Role,
    Scope,
    ScopesRefused,
    StoredKey,
    Token,
    UnknownPlayer,
    scopes_of,
    words_of,
)
from server.accounts.principals import Principals
from server.accounts.sqlite_file import open_file

ERASED = "—"
"""Stands where a name stood, in every language."""


def now_ms() -> int:
    """The time of day."""
    return time.time_ns() // 1_000_000


def open_accounts(at: str, clock: Callable[[], int] = now_ms) -> Accounts:
    """The accounts in the file `at`, or in memory for `memory:`. `clock` gives ms since 1970.

    Raises:
        AccountsFileError: the file cannot be used.
    """
    return SqliteAccounts(open_file(at), clock)


class SqliteAccounts(Accounts):
    """See `Accounts`, which says what each call does."""

    def __init__(self, connection: apsw.Connection, clock: Callable[[], int]) -> None:
        self._db = connection
        self._clock = clock
        self._principals = Principals(connection)
        with self._writing():
            self._db.execute("INSERT OR IGNORE INTO secret VALUES (1, ?)", (token_bytes(32),))
            self._secret = cast("bytes", self._db.execute("SELECT bytes FROM secret").get)
            if not self._db.execute("SELECT count(*) FROM signing_key").get:
                self._make_key()

    def close(self) -> None:
        self._db.close()

    # --- Players and tokens

    def register(
        self, name: str, scopes: Collection[Scope], key: str | None = None, *, bot: bool = False
    ) -> Registration:
        clean, player = clean_name(name), codes.new_id("p-")
        with self._writing():
            self._spend("player", key)
            self._db.execute("INSERT INTO player VALUES (?, ?, ?, ?)", (player, clean, bot, self._clock()))
            issued = self._add_token(player, scopes)
        return Registration(player, clean, issued.scopes, issued.token_id, issued.token)

    def principal(self, token: str) -> Principal | None:
        digest = codes.token_hash(token)
        return None if digest is None else self._principals.get(digest)

    def issue(
        self, player: str, scopes: Collection[Scope], *, within: Collection[Scope], key: str | None = None
    ) -> Issued:
        if beyond := frozenset(scopes) - frozenset(within):
            raise ScopesRefused("scopes_beyond", scopes=words_of(beyond))
        with self._writing():
            known = self.player(player)
            if known is None or known.erased:
                raise UnknownPlayer("no_such_player")
            self._spend("token", key, player)
            return self._add_token(player, scopes)

    def tokens(self, player: str) -> tuple[Token, ...]:
        rows = self._db.execute("SELECT id, created, scopes FROM token WHERE player = ? ORDER BY number", (player,))
        return tuple(Token(token_id, created, scopes_of(words)) for token_id, created, words in rows)

    def revoke(self, player: str, token_id: str) -> bool:
        with self._writing():
            self._db.execute("DELETE FROM token WHERE player = ? AND id = ?", (player, token_id))
            self._principals.clear()
            return bool(self._db.changes())

    def player(self, player: str) -> Player | None:
        return self.players((player,)).get(player)

    def players(self, ids: Iterable[str]) -> dict[str, Player]:
        rows = self._db.execute(
            "SELECT id, coalesce(name, ?), bot, created, name IS NULL FROM player"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (ERASED, msgspec.json.encode(list(ids)).decode()),
        )
        return {row[0]: Player(row[0], row[1], bool(row[2]), row[3], bool(row[4])) for row in rows}

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        return {player.id: player.name for player in self.players(ids).values()}

    def erase(self, player: str) -> bool:
        with self._writing():
            self._db.execute("UPDATE player SET name = NULL WHERE id = ?", (player,))
            known = bool(self._db.changes())
            self._db.execute("DELETE FROM token WHERE player = ?", (player,))
            self._db.execute("DELETE FROM admitted WHERE player = ?", (player,))
            self._db.execute("UPDATE invite SET revoked = 1 WHERE by = ?", (player,))
            self._principals.clear()
        # The name still stands in the write-ahead log; this empties it, unless another process is reading just now.
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return known

    # --- Private tables

    def invite(self, table: str, role: Role, seat: int | None, by: str, key: str | None = None) -> Invite:
        if role == "watch" and seat is not None:
            raise InviteRefused("watch_without_seat")
        made = Invite(self._code(by, table, key), table, role, seat, by, self._clock())
        with self._writing():
            row = (codes.code_hash(made.code), table, role, seat, by, made.created)
            self._db.execute("INSERT INTO invite VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING", row)
            if self._db.changes():
                return made
        return self._same_invite(made)

    def invite_of(self, code: str) -> Invite | None:
        invite, revoked = self._read_invite(code) or (None, True)
        return None if revoked else invite

    def uninvite(self, table: str, code: str) -> bool:
        with self._writing():
            self._db.execute(
                "UPDATE invite SET revoked = 1 WHERE hash = ? AND table_id = ? AND NOT revoked",
                (codes.code_hash(code), table),
            )
            return bool(self._db.changes())

    def admit(self, table: str, player: str) -> None:
        with self._writing():
            self._db.execute("INSERT INTO admitted VALUES (?, ?) ON CONFLICT DO NOTHING", (player, table))

    def is_admitted(self, table: str, player: str) -> bool:
        found = self._db.execute("SELECT 1 FROM admitted WHERE player = ? AND table_id = ?", (player, table))
        return found.get is not None

    # --- The server's own

    def signing_key(self) -> StoredKey:
        row = self._db.execute("SELECT id, private, public, created FROM signing_key ORDER BY number DESC LIMIT 1").get
        return StoredKey(*row)

    def signing_keys(self) -> tuple[PublicKey, ...]:
        rows = self._db.execute("SELECT id, public, created, private NOTNULL FROM signing_key ORDER BY number")
        return tuple(PublicKey(key, public, created, bool(current)) for key, public, created, current in rows)

    def rotate(self) -> StoredKey:
        with self._writing():
            self._db.execute("UPDATE signing_key SET private = NULL")
            made = self._make_key()
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return made

    def closing(self, table: str, sign: Callable[[], tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
        with self._writing():
            kept = self._db.execute("SELECT signature, public FROM closing WHERE table_id = ?", (table,)).fetchone()
            if kept is None:
                kept = sign()
                self._db.execute("INSERT INTO closing VALUES (?, ?, ?)", (table, *kept))
        signature, public = kept
        return signature, public

    def secret(self, purpose: str) -> bytes:
        return hmac.digest(self._secret, b"comitium secret 1\n" + purpose.encode(), "sha256")

    # --- Inside

    def _writing(self) -> AbstractContextManager[object]:
        """A transaction: all of it or, when something is raised, nothing."""
        return self._db

    def _add_token(self, player: str, scopes: Collection[Scope]) -> Issued:
        issued = Issued(codes.new_id("t-"), codes.new_token(), frozenset(scopes))
        row = (codes.token_hash(issued.token), issued.token_id, player, words_of(issued.scopes), self._clock())
        self._db.execute("INSERT INTO token (hash, id, player, scopes, created) VALUES (?, ?, ?, ?, ?)", row)
        return issued

    def _spend(self, what: str, key: str | None, player: str = "") -> None:
        """Remembers an idempotency key by a hash that only this server can make."""
        if key is None:
            return
        digest = hmac.digest(self.secret("spent"), msgspec.json.encode([what, player, key]), "sha256")
        self._db.execute("INSERT INTO spent VALUES (?) ON CONFLICT DO NOTHING", (digest,))
        if not self._db.changes():
            raise KeySpent("key_spent")

    def _code(self, by: str, table: str, key: str | None) -> str:
        if key is None:
            return codes.new_code()
        return codes.code_of(hmac.digest(self.secret("invite"), msgspec.json.encode([by, table, key]), "sha256"))

    def _same_invite(self, made: Invite) -> Invite:
        """The invite that was made before with the same key, revoked or not."""
        former, _ = self._read_invite(made.code) or (None, True)
        if former is None or (former.role, former.seat) != (made.role, made.seat):
            raise KeyReused("key_reused")
        return former

    def _read_invite(self, code: str) -> tuple[Invite, bool] | None:
        """The invite, and whether it was revoked."""
        row = self._db.execute(
            "SELECT table_id, role, seat, by, created, revoked FROM invite WHERE hash = ?", (codes.code_hash(code),)
        ).get
        return None if row is None else (Invite(code, *row[:-1]), bool(row[-1]))

    def _make_key(self) -> StoredKey:
        pair = Ed25519PrivateKey.generate()
        public = pair.public_key().public_bytes_raw()
        made = StoredKey(sha256(public).hexdigest()[:16], pair.private_bytes_raw(), public, self._clock())
        self._db.execute(
            "INSERT INTO signing_key (id, private, public, created) VALUES (?, ?, ?, ?)",
            (made.id, made.private, made.public, made.created),
        )
        return made
