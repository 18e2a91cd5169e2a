"""Who is who: players, tokens, invites, the server's keys and its secret.

None of it is in any log, so a player can be forgotten: logs hold player ids only, and what an id stood for stands here.
"""

from server.accounts.ports import (
    SCOPES,
    AccountRefused,
    Accounts,
    Invite,
    InviteRefused,
    Issued,
    KeyReused,
    KeySpent,
    NameRefused,
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
)
from server.accounts.sqlite import open_accounts
from server.accounts.sqlite_file import AccountsFileError

__all__ = [
    "SCOPES",
    "AccountRefused",
    "Accounts",
    "AccountsFileError",
    "Invite",
    "InviteRefused",
    "Issued",
    "KeyReused",
    "KeySpent",
    "NameRefused",
    "Player",
    "Principal",
    "PublicKey",
    "Registration",
    "Role",
    "Scope",
    "ScopesRefused",
    "StoredKey",
    "Token",
    "UnknownPlayer",
    "open_accounts",
]
