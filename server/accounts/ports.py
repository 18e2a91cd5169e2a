"""What the shell asks of accounts, and the words it uses. Times are ms since 1970."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, ClassVar, Literal, Protocol, get_args

import msgspec

from server.problems import Code

Scope = Literal["play", "read", "arbitrate", "operate"]
"""What a token may be used for. The list is closed."""

SCOPES: frozenset[Scope] = frozenset(get_args(Scope))

Role = Literal["play", "watch"]
"""What an invite lets its holder do."""


def scopes_of(words: str) -> frozenset[Scope]:
    """The scopes that are written with blanks between; a word of a newer version grants nothing."""
    return frozenset(scope for scope in SCOPES if scope in words.split())


def words_of(scopes: Collection[Scope]) -> str:
    """The scopes with blanks between, always in the same order."""
    return " ".join(sorted(scopes))


class AccountRefused(Exception):  # noqa: N818  (the word of the field, as for an action)
    """Nothing was changed. `code` is the wire's problem; `key` and `params` say it to a person: see `Problem`."""

    code: ClassVar[Code]

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key)
        self.key = key
        self.params = params


class NameRefused(AccountRefused):
    """Not a name: empty, too long, or with characters that nobody can see."""

    code = "invalid"


class ScopesRefused(AccountRefused):
    """More scopes than the token that asks has."""

    code = "forbidden"


class InviteRefused(AccountRefused):
    """An invite that makes no sense: who watches needs no seat."""

    code = "invalid"


class KeySpent(AccountRefused):
    """The idempotency key was used before, and what it gave then (a token) is shown once."""

    code = "key_reused"


class KeyReused(AccountRefused):
    """The idempotency key was used before for something else."""

    code = "key_reused"


class UnknownPlayer(AccountRefused):
    """There is no such player, or no longer."""

    code = "not_found"


class Veiled(msgspec.Struct, frozen=True):
    """A struct that never shows the fields of `hidden` when it is printed, logged or part of a traceback."""

    hidden: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        names = self.__struct_fields__
        return [(name, "[hidden]" if name in self.hidden else getattr(self, name)) for name in names]


class Player(msgspec.Struct, frozen=True):
    """Whom a player id stands for. When `erased`, the name is a placeholder and nothing else is known."""

    id: str
    name: str
    bot: bool
    created: int
    erased: bool = False


class Principal(msgspec.Struct, frozen=True):
    """Who speaks, by the token that was sent, and what that token is good for."""

    player: str
    name: str
    scopes: frozenset[Scope]
    token_id: str
    bot: bool


class Token(msgspec.Struct, frozen=True):
    """What is known of a token: everything but itself."""

    id: str
    created: int
    scopes: frozenset[Scope]


class Issued(Veiled, frozen=True):
    """A new token, shown this once."""

    hidden = frozenset({"token"})
    token_id: str
    token: str
    scopes: frozenset[Scope]


class Registration(Veiled, frozen=True):
    """A new player and the first token, shown this once."""

    hidden = frozenset({"token"})
    player: str
    name: str
    scopes: frozenset[Scope]
    token_id: str
    token: str


class Invite(Veiled, frozen=True):
    """What a code is good for. `seat`: the only seat it opens; None for any (and for those who watch)."""

    hidden = frozenset({"code"})
    code: str
    table: str
    role: Role
    seat: int | None
    by: str
    created: int


class PublicKey(msgspec.Struct, frozen=True):
    """A key that receipts are checked with. `id`: the first 16 hex digits of SHA-256 over the 32 bytes of `public`."""

    id: str
    public: bytes
    created: int
    current: bool


class StoredKey(Veiled, frozen=True):
    """The key that the server signs with now: Ed25519, both halves as 32 raw bytes."""

    hidden = frozenset({"private"})
    id: str
    private: bytes
    public: bytes
    created: int


class Accounts(Protocol):
    """Small, synchronous calls. All of them come from one thread, the event loop's."""

    # --- Players and tokens

    def register(
        self, name: str, scopes: Collection[Scope], key: str | None = None, *, bot: bool = False
    ) -> Registration:
        """A new player with a first token of these scopes. Names need not be unique.

        Raises:
            NameRefused: the name is empty, longer than 40 characters, or has characters that cannot be seen.
            KeySpent: `key` has registered somebody before.
        """
        ...

    def principal(self, token: str) -> Principal | None:
        """Whose token this is; None for one that was never issued, is revoked, or is no token at all.

        The hot path: answered from memory. What another process revokes is noticed within a second.
        """
        ...

    def issue(
        self, player: str, scopes: Collection[Scope], *, within: Collection[Scope], key: str | None = None
    ) -> Issued:
        """A further token. `within`: the scopes of the token that asks, which the new one cannot exceed.

        Raises:
            ScopesRefused: a scope is not among `within`.
            KeySpent: the player has got a token by `key` before.
            UnknownPlayer: unknown or erased.
        """
        ...

    def tokens(self, player: str) -> tuple[Token, ...]:
        """The player's tokens, oldest first."""
        ...

    def revoke(self, player: str, token_id: str) -> bool:
        """The token ends, at once. False when the player has no such token."""
        ...

    def player(self, player: str) -> Player | None:
        """Whom the id stands for."""
        ...

    def players(self, ids: Iterable[str]) -> dict[str, Player]:
        """Whom the ids stand for; unknown ones are left out."""
        ...

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """What to call them; unknown ones are left out."""
        ...

    def erase(self, player: str) -> bool:
        """Forgets the player: name, tokens, admissions, invites given out. The id stays, and stands for nobody.

        The name's bytes are overwritten in the file. False for an unknown id.
        """
        ...

    # --- Private tables

    def invite(self, table: str, role: Role, seat: int | None, by: str, key: str | None = None) -> Invite:
        """A code for the table. The same `key` of the same player gives the same invite again, revoked or not.

        Raises:
            InviteRefused: a seat for somebody who is to watch.
            KeyReused: the key was given with another role or seat.
        """
        ...

    def invite_of(self, code: str) -> Invite | None:
        """What the code is good for; None when it is unknown or revoked. Letter case and blanks around do not matter."""
        ...

    def uninvite(self, table: str, code: str) -> bool:
        """The code ends. False when the table has no such code."""
        ...

    def admit(self, table: str, player: str) -> None:
        """The player, who used an invite, may read this private table from now on."""
        ...

    def is_admitted(self, table: str, player: str) -> bool:
        """Whether the player has used an invite to this table."""
        ...

    # --- The server's own

    def signing_key(self) -> StoredKey:
        """The key that receipts are signed with now; made at the first start."""
        ...

    def signing_keys(self) -> tuple[PublicKey, ...]:
        """All keys that receipts were ever signed with, oldest first; the last is the current one."""
        ...

    def rotate(self) -> StoredKey:
        """A new signing key. Of the former one the private half is destroyed, the public half stays for ever."""
        ...

    def closing(self, table: str, sign: Callable[[], tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
        """What closes the log of a table that is over: the signature over its last head (64 bytes) and its public key
        (32 bytes). `sign` makes it the first time; from then on it is the same, whatever key the server signs with.
        """
        ...

    def secret(self, purpose: str) -> bytes:
        """32 bytes that only this server knows, the same after every start; one purpose tells nothing of another."""
        ...

    def close(self) -> None:
        """Nothing may be asked after this."""
        ...
