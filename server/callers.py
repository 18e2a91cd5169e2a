"""Who calls: the principal behind a token, his language, his reach at a table."""

import msgspec

from server.access import Reader
from server.accounts import Principal


class Caller(msgspec.Struct, frozen=True):
    """`address` stands in for the token of those who have none, for limits alone."""

    principal: Principal | None
    language: str
    address: str
    reader: Reader = Reader()

    @property
    def player(self) -> str | None:
        return None if self.principal is None else self.principal.player

    @property
    def limit_key(self) -> str:
        """What rate limits are counted by."""
        return self.address if self.principal is None else self.principal.player

    @property
    def holder(self) -> str:
        """What open sockets and streams are counted by."""
        return self.address if self.principal is None else self.principal.player

    def may(self, scope: str) -> bool:
        """Whether the token has that scope."""
        return self.principal is not None and scope in self.principal.scopes

    def at(self, reader: Reader) -> "Caller":
        """The caller as the reader of one table."""
        return msgspec.structs.replace(self, reader=reader)
